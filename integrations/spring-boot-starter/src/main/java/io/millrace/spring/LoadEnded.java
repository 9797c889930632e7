// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

/**
 * Event of the application: a load job has ended, in any way. Published on the thread of the job, before the callers of
 * {@link LoadJobs#run} continue; or on a virtual thread, if the thread of the job is blocked.
 *
 * <p>The events of one job come one at a time and in order: the next run publishes its {@link LoadStarted} and begins to load
 * after the listeners of this event have returned. A listener may start the job again. It must not wait for this run.
 *
 * @param number number of the run, as in its {@link LoadStarted}
 */
public record LoadEnded(LoadRun run, long number) {}
