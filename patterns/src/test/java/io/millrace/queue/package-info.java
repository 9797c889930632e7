// SPDX-License-Identifier: Apache-2.0

/** Queues against a real Redis, in this process and in others that are killed. */
@NullMarked
package io.millrace.queue;

import org.jspecify.annotations.NullMarked;
