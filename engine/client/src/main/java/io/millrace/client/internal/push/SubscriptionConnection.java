// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.ClientOptions;
import io.millrace.client.Message;
import io.millrace.client.SubscribeOptions;
import io.millrace.client.Subscription;
import io.millrace.client.Topic;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.client.internal.connect.EndpointText;
import io.millrace.client.internal.connect.Login;
import io.millrace.client.internal.time.ClockAndRandom;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** A subscription: a {@link PushConnection} that fills a mailbox with messages. */
public final class SubscriptionConnection implements Subscription {

    private final ClientOptions options;
    private final SubscribedTopics topics;
    private final MessageBuffer messages;
    private final Mailbox<Message> mailbox;
    private final LongAdder gaps = new LongAdder();
    private final PushConnection connection;

    private SubscriptionConnection(
            ClientOptions options, Login login, ClockAndRandom clockAndRandom, SubscribeOptions subscribeOptions) {
        this.options = options;
        this.topics = new SubscribedTopics(subscribeOptions.topics());
        this.messages = new MessageBuffer(subscribeOptions.buffer(), subscribeOptions.bufferBytes());
        this.mailbox = new Mailbox<>("subscription", messages);
        this.connection = new PushConnection(
                options,
                login,
                clockAndRandom,
                new SubscriptionHandler(topics, mailbox, gaps, new KeepAlive(options.commandTimeout(), false)),
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
    public void subscribe(Topic... added) {
        change(added, true);
    }

    @Override
    public void unsubscribe(Topic... removed) {
        change(removed, false);
    }

    private void change(Topic[] changedTopics, boolean subscribes) {
        SubscribedTopics.Change change = topics.change(new LinkedHashSet<>(List.of(changedTopics)), subscribes);
        connection.wake();
        try {
            change.done().get(options.commandTimeout().toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new TimedOutException("the server did not confirm a change of the subscription within "
                    + options.commandTimeout().toMillis() + " ms: endpoint=" + EndpointText.of(options.uri())
                    + ", phase=" + (connection.isOpen() ? "sent" : "not connected") + ", subscribe=" + subscribes
                    + ", topics=" + change.topics() + ". The client continues to make the change.");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedCommandException(
                    "waiting for a change of a subscription was interrupted. The client continues to make the change",
                    true);
        } catch (ExecutionException e) {
            throw (RedisException) e.getCause();
        } finally {
            topics.forget(change);
        }
    }

    @Override
    public Set<Topic> topics() {
        return topics.wanted();
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
            SubscribedTopics topics, Mailbox<Message> mailbox, LongAdder gaps, KeepAlive keepAlive)
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
            return new SubscriptionSession(topics, mailbox::put);
        }

        @Override
        public void confirmed() {}

        @Override
        public void lost() {
            gaps.increment();
        }

        @Override
        public void ended(@Nullable ConnectException failure) {
            topics.end(failure == null ? "closed by this client" : String.valueOf(failure.getMessage()));
            mailbox.close(failure);
        }
    }
}
