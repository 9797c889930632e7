// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import io.millrace.client.internal.connect.Backoff;
import io.millrace.client.internal.log.ClientLog;
import io.millrace.client.internal.server.ServerConnections;
import io.millrace.client.internal.time.ClockAndRandom;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Opens the nodes of a cluster. If a node cannot be opened, for example because it refuses the login, the opener tries again
 * after a pause that doubles. Used by the thread of the topology; any thread may ask {@link #refuses}, {@link #refusal} and
 * {@link #reason}.
 */
final class NodeOpener {

    /**
     * The failed attempts to open a node.
     *
     * @param number their number
     * @param reason the message of the last failure
     * @param refused whether the node has refused the login or TLS
     * @param backoff the pauses between the attempts
     * @param next time of the next attempt, in nanoseconds of the clock
     */
    private record FailedOpenings(int number, String reason, boolean refused, Backoff backoff, long next) {}

    private final ClientOptions options;
    private final LongSupplier clock;
    private final RandomGenerator random;
    private final NodeLifecycle lifecycle;

    /** The nodes that could not be opened. */
    private final Map<RedisUri.Tcp, FailedOpenings> failures = new ConcurrentHashMap<>();

    NodeOpener(ClientOptions options, ClockAndRandom clockAndRandom, NodeLifecycle lifecycle) {
        this.options = options;
        this.clock = clockAndRandom.clock();
        this.random = clockAndRandom.random();
        this.lifecycle = lifecycle;
    }

    /**
     * Opens a node. Returns null if the node cannot be opened, or if the pause since the last failure has not passed.
     *
     * @param started whether the client has connected before
     * @param whenDoubtful runs when the primaries may have changed
     */
    @Nullable
    ServerConnections open(RedisUri.Tcp address, boolean started, Runnable whenDoubtful) {
        if (!mayOpen(address, clock.getAsLong())) {
            return null;
        }
        // The first nodes must connect at once. Later, a node that does not answer must not delay the others, but a
        // node
        // that has refused the login or TLS does answer.
        boolean later = options.connectLater() || (started && !refuses(address));
        try {
            ServerConnections node = lifecycle.open(address, later, whenDoubtful);
            failures.remove(address);
            return node;
        } catch (ConnectException e) {
            failed(address, e, clock.getAsLong());
            return null;
        }
    }

    /** Any thread: whether the node at {@code address} has refused the login or TLS. */
    boolean refuses(RedisUri.Tcp address) {
        return refusal(address) != null;
    }

    /** Any thread: why the node at {@code address} has refused the login or TLS; null if it has not. */
    @Nullable
    String refusal(RedisUri.Tcp address) {
        FailedOpenings past = failures.get(address);
        return past != null && past.refused ? past.reason : null;
    }

    /** Any thread: why the node at {@code address} could not be opened; null if there was no failure. */
    @Nullable
    String reason(RedisUri.Tcp address) {
        FailedOpenings past = failures.get(address);
        return past == null ? null : past.reason;
    }

    boolean mayOpen(RedisUri.Tcp address, long now) {
        FailedOpenings past = failures.get(address);
        return past == null || past.next - now <= 0;
    }

    /** Logs the failures 1, 2, 4, 8, ... of a node. */
    private void failed(RedisUri.Tcp address, ConnectException failure, long now) {
        FailedOpenings before = failures.get(address);
        int number = before == null ? 1 : before.number + 1;
        Backoff backoff = before == null
                ? new Backoff(options.reconnectDelay(), options.maxReconnectDelay(), random)
                : before.backoff;
        String reason = String.valueOf(failure.getMessage());
        boolean refused = failure.reason() == Reason.AUTHENTICATION || failure.reason() == Reason.TLS;
        failures.put(address, new FailedOpenings(number, reason, refused, backoff, now + backoff.nextNanos()));
        if (Integer.bitCount(number) == 1) {
            ClientLog.logger().log(Level.WARNING, reason);
        }
    }

    /** Forgets the nodes that are not {@code needed}. */
    void keepOnly(Set<RedisUri.Tcp> needed) {
        failures.keySet().retainAll(needed);
    }

    /** Nanoseconds until the next attempt; {@code most} if there is none before. */
    long nanosToNext(long now, long most) {
        long nanos = most;
        for (FailedOpenings past : failures.values()) {
            nanos = Math.min(nanos, Math.max(0, past.next - now));
        }
        return nanos;
    }
}
