// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import static io.millrace.client.internal.push.PushFields.bytes;
import static io.millrace.client.internal.push.PushFields.text;

import io.millrace.client.Message;
import io.millrace.client.SubscribeOptions;
import io.millrace.resp.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Subscribes over one connection, and puts messages into the mailbox.
 *
 * <p>Each channel and pattern is subscribed to by a separate command, so that an error reply can be matched to a
 * channel or pattern. RESP3 marks messages and confirmations as pushes, RESP2 sends them as arrays. Nothing else
 * arrives except errors and replies to {@code PING}.
 */
final class SubscriptionSession implements PushSession {

    private final SubscribeOptions subscribeOptions;
    private final Mailbox<Message> mailbox;

    /** Number of channels and patterns that are confirmed. */
    private int confirmed;

    SubscriptionSession(SubscribeOptions subscribeOptions, Mailbox<Message> mailbox) {
        this.subscribeOptions = subscribeOptions;
        this.mailbox = mailbox;
    }

    @Override
    public List<List<String>> requests() {
        List<List<String>> requests = new ArrayList<>();
        subscribeOptions.channels().forEach(channel -> requests.add(List.of("SUBSCRIBE", channel)));
        subscribeOptions.patterns().forEach(pattern -> requests.add(List.of("PSUBSCRIBE", pattern)));
        return requests;
    }

    @Override
    public boolean isConfirmed() {
        return confirmed >= subscriptionCount();
    }

    @Override
    public void handle(Reply reply) throws IOException {
        switch (reply) {
            case Reply.Push push -> handle(push.items());
            case Reply.ArrayReply array -> handle(array.items());
            case Reply.ErrorReply error -> refuse(error);
            default -> {
                // A reply to PING.
            }
        }
    }

    private void handle(List<Reply> items) {
        switch (text(items, 0)) {
            case "message" -> mailbox.put(new Message(text(items, 1), Optional.empty(), bytes(items, 2)));
            case "pmessage" -> mailbox.put(new Message(text(items, 2), Optional.of(text(items, 1)), bytes(items, 3)));
            case "subscribe", "psubscribe" -> confirmed++;
            default -> {
                // This is a RESP2 reply to PING, or an unknown kind of message. Both are ignored.
            }
        }
    }

    /**
     * Handles an error reply. Confirmations and errors arrive in the order of the commands, so the number of
     * confirmations identifies the refused command. After all confirmations, an error can only be the reply to a PING
     * and is ignored.
     */
    private void refuse(Reply.ErrorReply error) throws IOException {
        if (!isConfirmed()) {
            throw new IOException(named(confirmed) + " is refused: " + error.message());
        }
    }

    private String named(int subscription) {
        List<String> all = new ArrayList<>(subscribeOptions.channels());
        all.addAll(subscribeOptions.patterns());
        String kind = subscription < subscribeOptions.channels().size() ? "channel" : "pattern";
        return kind + " \"" + all.get(subscription) + "\"";
    }

    private int subscriptionCount() {
        return subscribeOptions.channels().size() + subscribeOptions.patterns().size();
    }
}
