// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import static io.millrace.client.internal.PushItems.bytes;
import static io.millrace.client.internal.PushItems.text;

import io.millrace.client.Message;
import io.millrace.client.Topics;
import io.millrace.resp.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Subscribes over one connection, and puts what comes into the mailbox.
 *
 * <p>Each channel and pattern is subscribed to by a command of its own, so that a refusal names the one that was meant.
 * RESP3 marks messages and confirmations as pushes, RESP2 sends them as arrays; nothing else comes but errors and answers to
 * {@code PING}.
 */
final class SubscriptionDialogue implements PushDialogue {

    private final Topics topics;
    private final Mailbox<Message> mailbox;

    /** How many channels and patterns are confirmed. */
    private int confirmed;

    SubscriptionDialogue(Topics topics, Mailbox<Message> mailbox) {
        this.topics = topics;
        this.mailbox = mailbox;
    }

    @Override
    public List<List<String>> requests() {
        List<List<String>> requests = new ArrayList<>();
        topics.channels().forEach(channel -> requests.add(List.of("SUBSCRIBE", channel)));
        topics.patterns().forEach(pattern -> requests.add(List.of("PSUBSCRIBE", pattern)));
        return requests;
    }

    @Override
    public boolean isConfirmed() {
        return confirmed >= topicCount();
    }

    @Override
    public void take(Reply reply) throws IOException {
        switch (reply) {
            case Reply.Push push -> take(push.items());
            case Reply.ArrayReply array -> take(array.items());
            case Reply.ErrorReply error -> refuse(error);
            default -> {
                // An answer to PING.
            }
        }
    }

    private void take(List<Reply> items) {
        switch (text(items, 0)) {
            case "message" -> mailbox.put(new Message(text(items, 1), Optional.empty(), bytes(items, 2)));
            case "pmessage" -> mailbox.put(new Message(text(items, 2), Optional.of(text(items, 1)), bytes(items, 3)));
            case "subscribe", "psubscribe" -> confirmed++;
            default -> {
                // An answer to PING in RESP2, or a kind that nobody asked for.
            }
        }
    }

    /** Confirmations and refusals come in the order of the commands. A PING that is refused was answered all the same. */
    private void refuse(Reply.ErrorReply error) throws IOException {
        if (!isConfirmed()) {
            throw new IOException(named(confirmed) + " is refused: " + error.message());
        }
    }

    private String named(int topic) {
        List<String> all = new ArrayList<>(topics.channels());
        all.addAll(topics.patterns());
        return (topic < topics.channels().size() ? "channel \"" : "pattern \"") + all.get(topic) + "\"";
    }

    private int topicCount() {
        return topics.channels().size() + topics.patterns().size();
    }
}
