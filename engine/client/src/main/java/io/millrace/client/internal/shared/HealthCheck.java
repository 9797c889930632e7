// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Health;
import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import io.millrace.client.internal.thread.ClientThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Sends a {@code PING} over each connection, on one virtual thread per connection. So a connection that has no free
 * permit, or does not reply, does not delay the check of the others.
 */
public final class HealthCheck {

    private final Command<String> ping;

    /**
     * Creates a check that waits for {@code timeout} at most.
     *
     * @throws IllegalArgumentException if {@code timeout} is not a legal timeout of a command
     */
    public HealthCheck(Duration timeout) {
        this.ping = Server.ping().within(timeout);
    }

    /**
     * Checks all connections at the same time.
     *
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     */
    public Health of(List<SharedConnection> connections) {
        List<FutureTask<Health.Check>> tasks = new ArrayList<>();
        for (SharedConnection connection : connections) {
            FutureTask<Health.Check> task = new FutureTask<>(() -> ask(connection));
            tasks.add(task);
            ClientThreads.startVirtual("millrace-health", task);
        }
        List<Health.Check> checks = new ArrayList<>();
        try {
            for (FutureTask<Health.Check> task : tasks) {
                checks.add(task.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedCommandException(
                    "the health check was interrupted. Its PINGs were not cancelled", true);
        } catch (ExecutionException e) {
            throw new IllegalStateException("the health check failed", e);
        }
        return new Health(checks);
    }

    private Health.Check ask(SharedConnection connection) {
        long before = connection.now();
        PendingCall<String> call =
                new PendingCall<>(ping, before, before + ping.deadlineNanos(0), null).withoutRetries();
        Optional<String> problem = Optional.empty();
        connection.submit(call);
        try {
            Calls.await(call);
        } catch (RedisException e) {
            problem = Optional.of(String.valueOf(e.getMessage()));
        }
        return new Health.Check(connection.name(), Duration.ofNanos(connection.now() - before), problem);
    }
}
