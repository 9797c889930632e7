// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.Invalidation;
import io.millrace.resp.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Enables broadcast tracking over one connection, and passes the invalidations to a consumer.
 *
 * <p>{@code HELLO 3} is sent first, although the handshake has sent it already. The handshake also accepts a server
 * without RESP3. Such a server would accept tracking and never send an invalidation. The first {@code PING} shows that
 * the user may run {@code PING}.
 */
final class TrackingSession implements PushSession {

    private static final String HELLO = "HELLO 3";
    private static final String TRACKING = "CLIENT TRACKING";
    private static final String PING = "PING";

    private final List<String> prefixes;
    private final LongSupplier clock;
    private final Consumer<Invalidation> invalidations;
    private final LongConsumer proof;

    /** Number of requests that are answered. */
    private int answered;

    /** The name of each request. */
    private final List<String> names = List.of(HELLO, TRACKING, PING);

    /**
     * Creates a session that tracks all keys that begin with one of {@code prefixes}.
     *
     * @param proof receives a time of {@code clock}: all bytes that the server sent before this time have arrived
     */
    TrackingSession(
            List<String> prefixes, LongSupplier clock, Consumer<Invalidation> invalidations, LongConsumer proof) {
        this.prefixes = prefixes;
        this.clock = clock;
        this.invalidations = invalidations;
        this.proof = proof;
    }

    @Override
    public List<PushRequest> requests() {
        List<String> tracking = new ArrayList<>(List.of("TRACKING", "ON", "BCAST"));
        for (String prefix : prefixes) {
            tracking.add("PREFIX");
            tracking.add(prefix);
        }
        return List.of(
                PushRequest.of("HELLO", "3"),
                PushRequest.of("CLIENT", tracking.toArray(String[]::new)),
                PushReader.ping(clock.getAsLong()));
    }

    @Override
    public boolean isConfirmed() {
        return answered >= names.size();
    }

    @Override
    public void handle(Reply reply) throws IOException {
        switch (reply) {
            case Reply.Push push -> invalidate(push.items());
            case Reply.ErrorReply error -> throw new IOException(requestAnswered() + " is refused: " + error.message());
            default -> answer(reply);
        }
    }

    private void answer(Reply reply) throws IOException {
        switch (requestAnswered()) {
            case HELLO -> expect(reply instanceof Reply.MapReply, "the server does not speak RESP3");
            case TRACKING -> expect(reply.equals(Reply.OK), "the server did not reply OK to CLIENT TRACKING");
            default -> proof.accept(timeOf(reply));
        }
        answered = Math.min(answered + 1, names.size());
    }

    /**
     * Returns the name of the request that the next reply belongs to. Replies arrive in the order of the requests.
     * After the last request, all replies belong to PINGs.
     */
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
            throw new IOException("the reply to PING does not repeat its argument", e);
        }
    }

    private void invalidate(List<Reply> items) {
        if (!PushFields.text(items, 0).equals("invalidate") || items.size() < 2) {
            return;
        }
        Reply what = items.get(1);
        if (what instanceof Reply.ArrayReply array) {
            List<Reply> keys = array.items();
            List<String> texts = new ArrayList<>(keys.size());
            for (int i = 0; i < keys.size(); i++) {
                texts.add(PushFields.text(keys, i));
            }
            invalidations.accept(new Invalidation.ChangedKeys(texts));
        } else {
            // Null means all keys. An unknown item is treated the same way, which is always safe.
            invalidations.accept(new Invalidation.Everything(Invalidation.Cause.FLUSHED));
        }
    }
}
