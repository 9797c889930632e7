// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.time.Instant;

/**
 * A recurring job of a {@link JobQueue}.
 *
 * @param name the name, unique in the queue
 * @param cron the times of the job
 * @param next the time at which the job is due next
 */
public record RecurringJob(String name, Cron cron, Instant next) {}
