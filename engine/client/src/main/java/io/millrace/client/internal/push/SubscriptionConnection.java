// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.ClientOptions;
import io.millrace.client.Message;
import io.millrace.client.SubscribeOptions;
import io.millrace.client.Subscription;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.internal.connect.Login;
import io.millrace.client.internal.time.ClockAndRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** A subscription: a {@link PushConnection} that fills a mailbox with messages. */
public final class SubscriptionConnection implements Subscription {

    private final MessageBuffer messages;
    private final Mailbox<Message> mailbox;
    private final LongAdder gaps = new LongAdder();
    private final PushConnection connection;

    private SubscriptionConnection(
            ClientOptions options, Login login, ClockAndRandom clockAndRandom, SubscribeOptions subscribeOptions) {
        this.messages = new MessageBuffer(subscribeOptions.buffer());
        this.mailbox = new Mailbox<>("subscription", messages);
        this.connection = new PushConnection(
                options,
                login,
                clockAndRandom,
                new SubscriptionHandler(
                        subscribeOptions, mailbox, gaps, new KeepAlive(options.commandTimeout(), false)),
                "millrace-subscriber");
    }

    /** Opens a subscription and waits until the server has confirmed it. */
    public static SubscriptionConnection open(
            ClientOptions options, Login login, ClockAndRandom clockAndRandom, SubscribeOptions subscribeOptions) {
        SubscriptionConnection subscription =
                new SubscriptionConnection(options, login, clockAndRandom, subscribeOptions);
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

    /** Subscribes, and counts a gap when the connection is lost. */
    private record SubscriptionHandler(
            SubscribeOptions subscribeOptions, Mailbox<Message> mailbox, LongAdder gaps, KeepAlive keepAlive)
            implements PushHandler {

        @Override
        public String name() {
            return "subscription";
        }

        @Override
        public String action() {
            return "subscribe";
        }

        @Override
        public String advice() {
            return "Check the user's channel permissions.";
        }

        @Override
        public PushSession newSession() {
            return new SubscriptionSession(subscribeOptions, mailbox);
        }

        @Override
        public void confirmed() {}

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
