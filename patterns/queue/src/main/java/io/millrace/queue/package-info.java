// SPDX-License-Identifier: Apache-2.0

/**
 * Task queues in Redis, for producers and consumers on many machines. A {@link io.millrace.queue.ListQueue} or a {@link
 * io.millrace.queue.StreamQueue} is a queue. The sink of a queue is the consumer of a task flow, and the source of a
 * queue is the source of a task flow.
 */
@NullMarked
package io.millrace.queue;

import org.jspecify.annotations.NullMarked;
