// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * Runs the jobs that end before the web server opens its port, and stops all jobs when the application shuts down.
 *
 * <p>While the context starts, Spring's shutdown waits for the end of the start. So a shutdown hook of this class stops the
 * jobs before the port, and no further job starts: the process then ends after the replies of the rows in flight, and not
 * after the whole load.
 */
final class LoadLifecycle implements SmartLifecycle, DisposableBean {

    /** Below the phase in which the web server starts: DEFAULT_PHASE - 2048. */
    static final int PHASE = DEFAULT_PHASE - 4096;

    private final LoadJobs jobs;

    /** Set by the thread that starts the context. A restarted context does not load again. */
    private boolean started;

    private volatile boolean running;

    LoadLifecycle(LoadJobs jobs) {
        this.jobs = jobs;
    }

    @Override
    public void start() {
        if (!started) {
            started = true;
            runBeforePort();
        }
        running = true;
    }

    private void runBeforePort() {
        var early = jobs.jobs().stream()
                .filter(job -> job.trigger() == LoadTrigger.BEFORE_PORT)
                .toList();
        if (early.isEmpty()) {
            return;
        }
        Thread hook = new Thread(jobs::shutDown, "millrace-load-shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            early.forEach(jobs::runAtStart);
        } finally {
            remove(hook);
        }
    }

    private static void remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // The JVM is shutting down and has started the hook. The hook ends soon, because the jobs have ended.
        }
    }

    @Override
    public void stop() {
        jobs.shutDown();
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** A paused context keeps its jobs. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    /** Stops the jobs of a context whose start has failed, so that {@link #stop} is not called. */
    @Override
    public void destroy() {
        jobs.shutDown();
    }
}
