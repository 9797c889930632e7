// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ConnectException;
import io.millrace.client.Message;
import io.millrace.client.Subscription;
import io.millrace.client.Topics;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** A subscription: a {@link PushConnection} that fills a mailbox with messages. */
final class SubscriptionConnection implements Subscription {

    private final NewestMessages messages;
    private final Mailbox<Message> mailbox;
    private final LongAdder gaps = new LongAdder();
    private final PushConnection connection;

    private SubscriptionConnection(Engine engine, Topics topics) {
        this.messages = new NewestMessages(topics.buffer());
        this.mailbox = new Mailbox<>("subscription", messages);
        this.connection = new PushConnection(
                engine,
                new Subscribing(
                        topics, mailbox, gaps, new Pulse(engine.options().commandTimeout(), false)),
                "millrace-subscriber");
    }

    /** Opens a subscription and waits until the server has confirmed it. */
    static SubscriptionConnection open(Engine engine, Topics topics) {
        SubscriptionConnection subscription = new SubscriptionConnection(engine, topics);
        subscription.connection.open();
        return subscription;
    }

    @Override
    public Optional<Message> poll(Duration timeout) {
        return mailbox.take(timeout);
    }

    @Override
    public int waiting() {
        return mailbox.size();
    }

    @Override
    public long dropped() {
        return messages.dropped();
    }

    @Override
    public long gaps() {
        return gaps.sum();
    }

    @Override
    public boolean isOpen() {
        return connection.isOpen();
    }

    @Override
    public void close() {
        connection.close();
    }

    /** What the connection is for. */
    private record Subscribing(Topics topics, Mailbox<Message> mailbox, LongAdder gaps, Pulse pulse)
            implements PushPurpose {

        @Override
        public String name() {
            return "subscription";
        }

        @Override
        public String deed() {
            return "subscribe";
        }

        @Override
        public String advice() {
            return "Check the user's rights to channels.";
        }

        @Override
        public PushDialogue begin() {
            return new SubscriptionDialogue(topics, mailbox);
        }

        @Override
        public void established() {}

        @Override
        public void lost() {
            gaps.increment();
        }

        @Override
        public void ended(@Nullable ConnectException failure) {
            mailbox.close(failure);
        }
    }
}
