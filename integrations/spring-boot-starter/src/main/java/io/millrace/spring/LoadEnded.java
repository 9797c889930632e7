// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

/**
 * Event of the application: a load job has ended, in any way. Published on the thread of the job, before the callers of
 * {@link LoadJobs#run} continue. The job may run again before the listeners of this event have returned.
 *
 * @param number number of the run, as in its {@link LoadStarted}
 */
public record LoadEnded(LoadRun run, long number) {}
