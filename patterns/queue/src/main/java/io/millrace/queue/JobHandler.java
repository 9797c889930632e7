// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/**
 * Does a job. A worker calls its handler from several threads concurrently, for different jobs.
 *
 * @param <T> the type of the payloads
 */
@FunctionalInterface
public interface JobHandler<T> {

    /**
     * Does {@code job}. If the method returns normally, the job has succeeded and the queue removes the job. If the
     * method throws an exception, the attempt has failed.
     *
     * <p>The worker interrupts the thread of this method in two cases: the attempt takes longer than the {@linkplain
     * WorkerOptions#timeout timeout}, or the worker is closed and the job does not end within the {@linkplain
     * WorkerOptions#shutdownGrace grace}. The method should then throw an exception soon. A method that ignores the
     * interrupt may run at the same time as the next attempt of the same job.
     *
     * <p>A job may be done more than once, for example if the process ends after the work and before the
     * acknowledgement. So the method should tolerate a repeated attempt.
     *
     * @throws Exception if the attempt failed
     */
    void handle(Job<T> job) throws Exception;
}
