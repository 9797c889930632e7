// SPDX-License-Identifier: Apache-2.0

/**
 * Job queues in Redis, for producers and workers on many machines. A {@link io.millrace.queue.JobQueue} has delays,
 * retries, recurring jobs and dead jobs. A {@link io.millrace.queue.StreamQueue} passes each entry of a stream to several
 * groups. A {@link io.millrace.queue.Worker} does the jobs of either queue.
 */
@NullMarked
package io.millrace.queue;

import org.jspecify.annotations.NullMarked;
