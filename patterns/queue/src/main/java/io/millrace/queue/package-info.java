// SPDX-License-Identifier: Apache-2.0

/**
 * Task queues in Redis, for producers and consumers on many machines. There are two kinds of queue: {@link
 * io.millrace.queue.ListQueue} and {@link io.millrace.queue.StreamQueue}. On a producer machine, the sink of the queue
 * is the consumer of a task flow. On a consumer machine, the source of the queue is the source of a task flow.
 */
@NullMarked
package io.millrace.queue;

import org.jspecify.annotations.NullMarked;
