// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

/**
 * Event of the application: a load job has started. Published on the thread of the job, before the job reads its source or
 * waits for another instance.
 *
 * <p>The events of one job come one at a time and in order: the listeners of {@link LoadEnded} of the run before have returned.
 *
 * @param job name of the job
 * @param number number of the run since the start of the application, from 1; the {@link LoadEnded} of the run has the same
 *     number
 */
public record LoadStarted(String job, RunKind kind, long number) {}
