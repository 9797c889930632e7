// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Scripts;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import io.millrace.load.target.PlanException;
import io.millrace.resp.Reply;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The lock of a job, held by one run. The lock expires after {@value #EXPIRY_MILLIS} ms, and a thread renews it, so the
 * next run waits at most this long for the lock of a killed run. A run that was paused for longer takes its lock again,
 * unless another run has begun: {@link JobScripts} describes this.
 */
final class JobLock implements AutoCloseable {

    static final long EXPIRY_MILLIS = 10_000;
    private static final long RENEWAL_MILLIS = EXPIRY_MILLIS / 4;
    private static final long ATTEMPT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** The user is told about a longer wait. */
    private static final long NOTICE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final RedisClient client;
    private final JobKeys keys;
    private final ScheduledExecutorService renewal;

    private JobLock(RedisClient client, JobKeys keys) {
        this.client = client;
        this.keys = keys;
        ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("millrace-job-lock").factory());
        var unused = thread.scheduleAtFixedRate(this::renew, RENEWAL_MILLIS, RENEWAL_MILLIS, TimeUnit.MILLISECONDS);
        this.renewal = thread;
    }

    /**
     * Takes the lock. Blocks until the lock of a killed run has expired.
     *
     * @param notice tells the user about the wait
     * @throws PlanException if another run renews the lock, or if the load is stopped meanwhile
     */
    static JobLock take(ControlCalls calls, JobKeys keys, CancelSignal stop, Consumer<String> notice) {
        long start = System.nanoTime();
        long until = start + TimeUnit.MILLISECONDS.toNanos(EXPIRY_MILLIS + RENEWAL_MILLIS);
        boolean told = false;
        while (!isTaken(calls, keys)) {
            if (stop.isRaised() || Thread.currentThread().isInterrupted() || System.nanoTime() - until > 0) {
                throw new PlanException("another run of this job has not ended: job=" + keys.job() + ", lock="
                        + keys.lock() + ". Wait for its end, or choose another name of the job.");
            }
            if (!told && System.nanoTime() - start > NOTICE_NANOS) {
                told = true;
                notice.accept("another run of this job holds its lock: job=" + keys.job() + ". Waiting up to "
                        + TimeUnit.MILLISECONDS.toSeconds(EXPIRY_MILLIS + RENEWAL_MILLIS)
                        + " s, because the lock of a killed run expires.");
            }
            LockSupport.parkNanos(keys, ATTEMPT_NANOS);
        }
        return new JobLock(calls.client(), keys);
    }

    private static boolean isTaken(ControlCalls calls, JobKeys keys) {
        try {
            return calls.call(Command.of("SET", keys.lock(), keys.run(), "NX", "PX", EXPIRY_MILLIS)) != Reply.Null.NULL;
        } catch (InterruptedCommandException e) {
            // The server may still execute the command.
            release(calls.client(), keys);
            throw e;
        }
    }

    private void renew() {
        try {
            var unused = client.send(Scripts.run(
                    JobScripts.RENEW, List.of(keys.lock(), keys.state()), List.of(keys.run(), EXPIRY_MILLIS)));
        } catch (RedisException refused) {
            // The next renewal tries again. If the lock is lost, the next step of the run fails.
        }
    }

    /** Releases the lock. If the server does not reply soon, the lock expires. */
    @Override
    public void close() {
        renewal.shutdownNow();
        release(client, keys);
    }

    private static void release(RedisClient client, JobKeys keys) {
        try {
            client.send(Scripts.run(JobScripts.RELEASE, List.of(keys.lock()), List.of(keys.run())))
                    .get(1, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RedisException unreleased) {
            // The lock expires.
        }
    }
}
