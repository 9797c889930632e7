// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/**
 * A job that the server moved to the dead jobs, because its workers died too often.
 *
 * @param deaths the number of workers that died while the job ran
 */
record BuriedJob<T>(TakenJob<T> job, int deaths) {}
