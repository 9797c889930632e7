// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Command;
import io.millrace.client.Health;
import io.millrace.client.InterruptedCommandException;
import io.millrace.client.RedisException;
import io.millrace.client.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Asks connections for a sign of life: each on a virtual thread of its own, so that one that has no free place, or does not
 * answer, keeps none of the others.
 */
final class HealthCheck {

    private final Command<String> ping;

    /**
     * A check that waits for {@code timeout} at most.
     *
     * @throws IllegalArgumentException if that is no legal time limit of a command
     */
    HealthCheck(Duration timeout) {
        this.ping = Server.ping().within(timeout);
    }

    /**
     * Asks all of them at once.
     *
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     */
    Health of(SharedConnection[] connections) {
        List<FutureTask<Health.Check>> asked = new ArrayList<>();
        for (SharedConnection connection : connections) {
            FutureTask<Health.Check> task = new FutureTask<>(() -> ask(connection));
            asked.add(task);
            Thread.ofVirtual().name("millrace-health").start(task);
        }
        List<Health.Check> checks = new ArrayList<>();
        try {
            for (FutureTask<Health.Check> task : asked) {
                checks.add(task.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedCommandException("waiting for a sign of life was interrupted. The PINGs go on", true);
        } catch (ExecutionException e) {
            throw new IllegalStateException("asking for a sign of life failed", e);
        }
        return new Health(checks);
    }

    private Health.Check ask(SharedConnection connection) {
        long before = connection.now();
        PendingCall<String> call = new PendingCall<>(ping, before, before + ping.deadlineNanos(0), null);
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
