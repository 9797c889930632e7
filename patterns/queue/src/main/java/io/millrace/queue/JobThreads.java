// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.concurrent.Executor;

/**
 * The threads that run the jobs of a worker.
 *
 * @param executor starts a thread for a place of the worker
 * @param severalJobs whether one task of the executor may do several jobs, one after the other
 */
record JobThreads(Executor executor, boolean severalJobs) {

    /**
     * Virtual threads that inherit nothing from the thread that starts the worker. Their context class loader is the class
     * loader of the handler.
     */
    static JobThreads virtual(ClassLoader loader) {
        return new JobThreads(task -> startVirtual(task, loader), true);
    }

    /** The threads of an executor of the user. Each job is a task, because the executor may prepare its threads for a task. */
    static JobThreads of(Executor executor) {
        return new JobThreads(executor, false);
    }

    private static void startVirtual(Runnable task, ClassLoader loader) {
        Thread thread = Thread.ofVirtual()
                .inheritInheritableThreadLocals(false)
                .name("millrace-job")
                .unstarted(task);
        thread.setContextClassLoader(loader);
        thread.start();
    }
}
