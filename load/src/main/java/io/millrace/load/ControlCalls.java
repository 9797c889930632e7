// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Sends commands of a load that write no row, such as {@code INFO}.
 *
 * <p>While a server refuses all commands, or while the connection is lost, the client keeps a command until the time limit
 * of the command. The time limits of the client and of the rows may be much shorter or longer than the patience of the
 * load. So a command has the patience as its limit, and at least two seconds.
 *
 * @param limit longest wait for a reply
 * @param stop ends a wait
 */
record ControlCalls(RedisClient client, Duration limit, CancelSignal stop) {

    /** The longest wait of a load without patience. A server that works replies within this time. */
    private static final Duration SHORTEST = Duration.ofSeconds(2);

    /** The commands of a load with {@code options}, which {@code stop} ends. */
    static ControlCalls of(RedisClient client, LoadOptions options, CancelSignal stop) {
        Duration patience = options.patience();
        return new ControlCalls(client, patience.compareTo(SHORTEST) > 0 ? patience : SHORTEST, stop);
    }

    /** The same commands, which a stop does not end: for steps that must be completed. */
    ControlCalls uninterrupted() {
        return new ControlCalls(client, limit, new CancelSignal());
    }

    /** The same commands, with at most this time to wait for each reply. */
    ControlCalls within(Duration shorter) {
        return shorter.compareTo(limit) < 0 ? new ControlCalls(client, shorter, stop) : this;
    }

    /**
     * Blocks until the reply arrives, or until the load is stopped.
     *
     * @throws InterruptedCommandException if the load is stopped
     * @throws RedisException as {@link RedisClient#call(Command)}
     */
    <T> T call(Command<T> command) {
        CompletableFuture<T> reply = client.send(command.within(limit));
        try (CancelActions.Registration ignored = stop.onInterrupt(() -> reply.cancel(false))) {
            return reply.get();
        } catch (CancellationException e) {
            throw stopped();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw stopped();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e);
        }
    }

    /**
     * Reads one section of INFO; of each primary, if the client is connected to a cluster. Blocks as {@link #call}. A stop
     * does not end the wait for a cluster.
     */
    ServerFacts infoOfAll(String section) {
        return ClusterServers.isCluster(client)
                ? ServerFacts.combined(ClusterServers.callEach(client, Server.info(section), limit))
                : ServerFacts.parsed(call(Server.info(section)));
    }

    private static InterruptedCommandException stopped() {
        return new InterruptedCommandException("the load was stopped while it waited for a reply of the server", true);
    }
}
