// SPDX-License-Identifier: Apache-2.0

/**
 * Redis as the queue of tasks, so that producers and consumers can be on many machines. A {@link io.millrace.queue.ListQueue} or a
 * {@link io.millrace.queue.StreamQueue} names the queue; its sink ends a flow of tasks, its source begins one.
 */
@NullMarked
package io.millrace.queue;

import org.jspecify.annotations.NullMarked;
