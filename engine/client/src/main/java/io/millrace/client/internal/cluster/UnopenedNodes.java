// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import io.millrace.client.internal.connect.Backoff;
import io.millrace.client.internal.log.ClientLog;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that could not be opened, for example because they refuse the login. Each is tried again after a pause that doubles.
 * Changed by the thread of the topology; any thread may ask {@link #refuses}.
 */
final class UnopenedNodes {

    /**
     * The failed attempts to open a node.
     *
     * @param number their number
     * @param reason the message of the last failure
     * @param refused whether the node has refused the login or TLS
     * @param backoff the pauses between the attempts
     * @param next time of the next attempt, in nanoseconds of the clock
     */
    private record Failures(int number, String reason, boolean refused, Backoff backoff, long next) {}

    private final ClientOptions options;
    private final RandomGenerator random;
    private final Map<RedisUri.Tcp, Failures> nodes = new ConcurrentHashMap<>();

    UnopenedNodes(ClientOptions options, RandomGenerator random) {
        this.options = options;
        this.random = random;
    }

    /** Any thread: whether the node at {@code address} has refused the login or TLS. */
    boolean refuses(RedisUri.Tcp address) {
        Failures failures = nodes.get(address);
        return failures != null && failures.refused;
    }

    /** Any thread: why the node at {@code address} could not be opened; null if there was no failure. */
    @Nullable
    String reason(RedisUri.Tcp address) {
        Failures failures = nodes.get(address);
        return failures == null ? null : failures.reason;
    }

    boolean mayOpen(RedisUri.Tcp address, long now) {
        Failures failures = nodes.get(address);
        return failures == null || failures.next - now <= 0;
    }

    void opened(RedisUri.Tcp address) {
        nodes.remove(address);
    }

    /** Logs the failures 1, 2, 4, 8, ... of a node. */
    void failed(RedisUri.Tcp address, ConnectException failure, long now) {
        Failures before = nodes.get(address);
        int number = before == null ? 1 : before.number + 1;
        Backoff backoff = before == null
                ? new Backoff(options.reconnectDelay(), options.maxReconnectDelay(), random)
                : before.backoff;
        String reason = String.valueOf(failure.getMessage());
        boolean refused = failure.reason() == Reason.AUTHENTICATION || failure.reason() == Reason.TLS;
        nodes.put(address, new Failures(number, reason, refused, backoff, now + backoff.nextNanos()));
        if (Integer.bitCount(number) == 1) {
            ClientLog.logger().log(Level.WARNING, reason);
        }
    }

    /** Forgets the nodes that are not {@code needed}. */
    void keepOnly(Set<RedisUri.Tcp> needed) {
        nodes.keySet().retainAll(needed);
    }

    /** Nanoseconds until the next attempt; {@code most} if there is none before. */
    long nanosToNext(long now, long most) {
        long nanos = most;
        for (Failures failures : nodes.values()) {
            nanos = Math.min(nanos, Math.max(0, failures.next - now));
        }
        return nanos;
    }
}
