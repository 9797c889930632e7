// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import static io.millrace.client.internal.push.PushFields.bytes;
import static io.millrace.client.internal.push.PushFields.text;

import io.millrace.client.Message;
import io.millrace.client.Topic;
import io.millrace.client.internal.push.ChannelOwners.RefusalMeaning;
import io.millrace.resp.Reply;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;

/**
 * Subscribes to the wanted topics over one connection, follows their changes, and passes on the messages.
 *
 * <p>Each topic has a separate command, so that an error reply can be matched to its topic. Confirmations and errors
 * arrive in the order of the commands. RESP3 marks messages and confirmations as pushes, RESP2 sends them as arrays.
 * Nothing else arrives except errors and replies to {@code PING}.
 */
final class SubscriptionSession implements PushSession {

    /** A command to add or to remove {@code topic}. */
    private record TopicRequest(Topic topic, boolean subscribes) {

        PushRequest command() {
            return new PushRequest(name().toUpperCase(Locale.ROOT), List.of(topic.bytes()));
        }

        /** The name of the command in lower case, which is also the first item of its confirmation. */
        String name() {
            String name = subscribes ? "subscribe" : "unsubscribe";
            return switch (topic.kind()) {
                case CHANNEL -> name;
                case PATTERN -> "p" + name;
                case SHARD_CHANNEL -> "s" + name;
            };
        }
    }

    private final SubscribedTopics topics;
    private final ServedTopics served;
    private final SubscriptionPart.Whole messages;

    /** The topics whose subscription the server has confirmed over this connection. */
    private final Set<Topic> subscribed = new HashSet<>();

    /** The commands without a reply, in order. */
    private final Queue<TopicRequest> unanswered = new ArrayDeque<>();

    /** Version of the wanted topics to which the unanswered commands lead, or the answered commands have led. */
    private long version;

    /** The last version that was reported as confirmed. */
    private long confirmedVersion = -1;

    SubscriptionSession(SubscribedTopics topics, ServedTopics served, SubscriptionPart.Whole messages) {
        this.topics = topics;
        this.served = served;
        this.messages = messages;
    }

    @Override
    public List<PushRequest> requests() {
        return follow(topics.all());
    }

    @Override
    public List<PushRequest> changes() {
        return version == topics.version() ? List.of() : follow(topics.changes(subscribed));
    }

    /** Returns the commands that make the server follow {@code wanted}. */
    private List<PushRequest> follow(SubscribedTopics.Wanted wanted) {
        version = wanted.version();
        List<PushRequest> commands = new ArrayList<>();
        wanted.topics().forEach((topic, isWanted) -> {
            if (subscribed.contains(topic) != isWanted) {
                TopicRequest request = new TopicRequest(topic, isWanted);
                unanswered.add(request);
                commands.add(request.command());
            }
        });
        return commands;
    }

    @Override
    public boolean isConfirmed() {
        return unanswered.isEmpty();
    }

    @Override
    public void confirmed() {
        if (version > confirmedVersion) {
            confirmedVersion = version;
            topics.confirmed(version);
        }
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

    private void handle(List<Reply> items) throws IOException {
        String kind = text(items, 0);
        byte[] name = bytes(items, 1);
        switch (kind) {
            case "message" -> messages.received(new Message(Topic.channel(name), name, bytes(items, 2)));
            case "smessage" -> messages.received(new Message(Topic.shardChannel(name), name, bytes(items, 2)));
            case "pmessage" -> messages.received(new Message(Topic.pattern(name), bytes(items, 2), bytes(items, 3)));
            case "subscribe", "unsubscribe" -> confirm(kind, Topic.channel(name));
            case "psubscribe", "punsubscribe" -> confirm(kind, Topic.pattern(name));
            case "ssubscribe", "sunsubscribe" -> confirm(kind, Topic.shardChannel(name));
            default -> {
                // This is a RESP2 reply to PING, or an unknown kind of message. Both are ignored.
            }
        }
    }

    /**
     * Handles a confirmation of the oldest command without a reply. The server may also end a subscription without a
     * command, for example when a hash slot moves to another server. Then messages may be missing. The connection ends, unless
     * another server of a cluster takes the topic over.
     */
    private void confirm(String kind, Topic topic) throws IOException {
        TopicRequest request = unanswered.peek();
        if (request != null && request.topic().equals(topic) && request.name().equals(kind)) {
            unanswered.remove();
            if (request.subscribes()) {
                subscribed.add(topic);
                topics.proven(topic);
            } else {
                subscribed.remove(topic);
            }
        } else if (kind.endsWith("unsubscribe") && subscribed.contains(topic)) {
            if (!served.mayMove(topic)) {
                throw new IOException("the server ended the subscription to " + topic);
            }
            subscribed.remove(topic);
            if (topics.unserved(topic)) {
                messages.gap();
            }
        }
    }

    /** Handles an error reply. If no command waits for a reply, the error belongs to a {@code PING} and is ignored. */
    private void refuse(Reply.ErrorReply error) throws IOException {
        TopicRequest request = unanswered.peek();
        RefusalMeaning answer = request == null ? RefusalMeaning.OTHER_SLOT : served.answer(request.topic(), error);
        if (request == null || answer == RefusalMeaning.OTHER_SLOT) {
            // The server has answered SUNSUBSCRIBE twice: when the slot moved, and after it had moved.
            return;
        }
        unanswered.remove();
        if (answer == RefusalMeaning.ELSEWHERE) {
            subscribed.remove(request.topic());
            if (request.subscribes()) {
                var unused = topics.unserved(request.topic());
            }
            return;
        }
        if (!topics.refused(request.topic(), request.subscribes(), error)) {
            throw new IOException(request.topic() + " is refused: " + error.message());
        }
    }
}
