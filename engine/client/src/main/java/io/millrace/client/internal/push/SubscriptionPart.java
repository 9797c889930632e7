// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.ClientOptions;
import io.millrace.client.Message;
import io.millrace.client.Topic;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.client.internal.connect.EndpointText;
import io.millrace.client.internal.connect.Login;
import io.millrace.client.internal.time.ClockAndRandom;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One connection of a subscription, with its topics. Several parts can fill one mailbox. */
final class SubscriptionPart {

    /** What the parts of a subscription share. The threads of the connections call the methods. */
    interface Whole {

        void received(Message message);

        /** Messages may be missing. */
        void gap();

        /** The connection has ended and is not replaced; {@code failure} is null if it was closed. */
        void ended(@Nullable ConnectException failure);
    }

    private final ClientOptions options;
    private final SubscribedTopics topics;
    private final PushConnection connection;

    /** Whether other parts have taken over, so that waiting calls must ask again. Written before the connection is closed. */
    private volatile boolean retired;

    /**
     * Creates a part without a connection.
     *
     * @param first topics with true if the server has confirmed them before, or they are the first of the subscription
     */
    SubscriptionPart(
            ClientOptions options,
            Login login,
            ClockAndRandom clockAndRandom,
            Map<Topic, Boolean> first,
            ServedTopics served,
            Whole whole) {
        this.options = options;
        this.topics = new SubscribedTopics(first);
        this.connection = new PushConnection(
                options, login, clockAndRandom, new SubscriptionHandler(served, whole), "millrace-subscriber");
    }

    /**
     * Connects, and waits until the server has confirmed the topics.
     *
     * @throws ConnectException if the server did not confirm the topics; the connection is then closed
     */
    void open() {
        connection.open();
    }

    /** Connects in the background, and tries again until the part is closed. */
    void openLater() {
        connection.openLater();
    }

    SubscribedTopics topics() {
        return topics;
    }

    /** Whether the server has confirmed the topics over the current connection, and serves all of them. */
    boolean isOpen() {
        return connection.isOpen() && !topics.hasUnserved();
    }

    /** Whether the current connection works. */
    boolean isConnected() {
        return connection.isOpen();
    }

    /** Adds or removes topics. {@link #await} waits for the confirmation. */
    SubscribedTopics.Change change(Set<Topic> changed, boolean subscribes) {
        SubscribedTopics.Change change = topics.change(changed, subscribes);
        connection.wake();
        return change;
    }

    /** The topics were changed: the thread of the connection must tell the server. */
    void wake() {
        connection.wake();
    }

    /** Waits for the confirmation of {@code change}, for {@code nanos} at most. */
    void await(SubscribedTopics.Change change, long nanos) {
        try {
            change.done().get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new TimedOutException("the server did not confirm a change of the subscription within "
                    + options.commandTimeout().toMillis() + " ms: endpoint=" + EndpointText.of(options.uri())
                    + ", phase=" + (connection.isOpen() ? "sent" : "not connected") + ", subscribe="
                    + change.subscribes() + ", topics=" + change.topics()
                    + ". The client continues to make the change.");
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

    /** Closes the connection, and waits until its thread has stopped. The wait is short. */
    void close() {
        connection.close();
    }

    /** Like {@link #close}, for a part without topics whose subscription continues. */
    void retire() {
        retired = true;
        connection.close();
    }

    /** Subscribes, and counts a gap when the connection is lost. */
    private final class SubscriptionHandler implements PushHandler {

        private final ServedTopics served;
        private final Whole whole;

        SubscriptionHandler(ServedTopics served, Whole whole) {
            this.served = served;
            this.whole = whole;
        }

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
        public KeepAlive keepAlive() {
            return new KeepAlive(options.commandTimeout(), false);
        }

        @Override
        public PushSession newSession() {
            return new SubscriptionSession(topics, served, whole);
        }

        @Override
        public void confirmed() {}

        @Override
        public void lost() {
            whole.gap();
        }

        @Override
        public void ended(@Nullable ConnectException failure) {
            if (retired) {
                topics.release();
            } else {
                topics.end(failure == null ? "closed by this client" : String.valueOf(failure.getMessage()));
                whole.ended(failure);
            }
        }
    }
}
