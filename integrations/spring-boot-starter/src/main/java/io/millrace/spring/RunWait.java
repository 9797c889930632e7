// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for the ends of runs. */
final class RunWait {

    private RunWait() {}

    /**
     * Waits for a run on the thread of a caller.
     *
     * @throws CancellationException if the thread is interrupted; the job continues
     */
    static LoadRun ofCaller(String job, CompletableFuture<LoadRun> result) {
        try {
            return result.get();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            CancellationException cancelled =
                    new CancellationException("the wait for the load job was interrupted: job=" + job
                            + ". The job continues; stop() ends the job.");
            cancelled.initCause(interrupted);
            throw cancelled;
        } catch (ExecutionException impossible) {
            throw withoutResult(job, impossible);
        }
    }

    /**
     * Waits with time limits, while the application starts. Spring interrupts a starting thread that waits without a limit,
     * and then ends the process before the load has its report.
     *
     * @param stop called if the thread is interrupted, because the interrupt comes from a shutdown
     */
    static LoadRun ofStart(String job, CompletableFuture<LoadRun> result, Runnable stop) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return result.get(1, TimeUnit.MINUTES);
                } catch (TimeoutException running) {
                    // The deadline of the job ends the wait.
                } catch (InterruptedException shutdown) {
                    interrupted = true;
                    stop.run();
                } catch (ExecutionException impossible) {
                    throw withoutResult(job, impossible);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Waits for all results. Returns whether all of them are complete within {@code limit}. */
    static boolean haveEnded(List<? extends CompletableFuture<?>> results, Duration limit) {
        try {
            CompletableFuture.allOf(results.toArray(CompletableFuture<?>[]::new))
                    .get(limit.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException running) {
            return false;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException impossible) {
            throw new IllegalStateException("a run has no result", impossible);
        }
    }

    private static IllegalStateException withoutResult(String job, ExecutionException impossible) {
        return new IllegalStateException("a run has no result: job=" + job, impossible);
    }
}
