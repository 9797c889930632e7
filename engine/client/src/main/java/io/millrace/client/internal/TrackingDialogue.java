// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Invalidation;
import io.millrace.resp.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Has the server broadcast the changes of keys over one connection, and passes them on.
 *
 * <p>{@code HELLO 3} comes first, although the handshake has asked for the same: a server that cannot was content with RESP2
 * there, and would agree to tracking here and never say a word. The first {@code PING} shows that it is allowed.
 */
final class TrackingDialogue implements PushDialogue {

    private static final String HELLO = "HELLO 3";
    private static final String TRACKING = "CLIENT TRACKING";
    private static final String PING = "PING";

    private final List<String> prefixes;
    private final LongSupplier clock;
    private final Consumer<Invalidation> invalidations;
    private final LongConsumer proof;

    /** How many of the requests are answered. */
    private int answered;

    /** The name of each request. */
    private final List<String> names = List.of(HELLO, TRACKING, PING);

    /**
     * Asks for the changes of all keys that begin with one of {@code prefixes}.
     *
     * @param proof is told a time by {@code clock} before which everything the server said has arrived
     */
    TrackingDialogue(
            List<String> prefixes, LongSupplier clock, Consumer<Invalidation> invalidations, LongConsumer proof) {
        this.prefixes = prefixes;
        this.clock = clock;
        this.invalidations = invalidations;
        this.proof = proof;
    }

    @Override
    public List<List<String>> requests() {
        List<String> tracking = new ArrayList<>(List.of("CLIENT", "TRACKING", "ON", "BCAST"));
        for (String prefix : prefixes) {
            tracking.add("PREFIX");
            tracking.add(prefix);
        }
        return List.of(List.of("HELLO", "3"), tracking, PushReader.ping(clock.getAsLong()));
    }

    @Override
    public boolean isConfirmed() {
        return answered >= names.size();
    }

    @Override
    public void take(Reply reply) throws IOException {
        switch (reply) {
            case Reply.Push push -> invalidate(push.items());
            case Reply.ErrorReply error -> throw new IOException(requestAnswered() + " is refused: " + error.message());
            default -> answer(reply);
        }
    }

    private void answer(Reply reply) throws IOException {
        switch (requestAnswered()) {
            case HELLO -> expect(reply instanceof Reply.MapReply, "it does not speak RESP3");
            case TRACKING -> expect(reply.equals(Reply.OK), "it does not say OK to CLIENT TRACKING");
            default -> proof.accept(timeOf(reply));
        }
        answered = Math.min(answered + 1, names.size());
    }

    /** Answers come in the order of the requests; after the first ones there are only PINGs. */
    private String requestAnswered() {
        return answered < names.size() ? names.get(answered) : PING;
    }

    private static void expect(boolean asExpected, String otherwise) throws IOException {
        if (!asExpected) {
            throw new IOException(otherwise);
        }
    }

    private static long timeOf(Reply reply) throws IOException {
        try {
            return Long.parseLong(reply instanceof Reply.BulkString echo ? echo.text() : "");
        } catch (NumberFormatException e) {
            throw new IOException("it does not repeat what PING tells it", e);
        }
    }

    private void invalidate(List<Reply> items) {
        if (!PushItems.text(items, 0).equals("invalidate") || items.size() < 2) {
            return;
        }
        Reply what = items.get(1);
        if (what instanceof Reply.ArrayReply array) {
            List<Reply> keys = array.items();
            List<String> texts = new ArrayList<>(keys.size());
            for (int i = 0; i < keys.size(); i++) {
                texts.add(PushItems.text(keys, i));
            }
            invalidations.accept(new Invalidation.Keys(texts));
        } else {
            // Null; and whatever else may be meant, this is not too little.
            invalidations.accept(new Invalidation.Everything(Invalidation.Cause.FLUSHED));
        }
    }
}
