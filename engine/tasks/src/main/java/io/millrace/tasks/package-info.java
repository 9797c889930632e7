// SPDX-License-Identifier: Apache-2.0

/**
 * Task processing: producers, a bounded buffer, consumers, and one account of what became of every task. {@link
 * io.millrace.tasks.Flow} is the way in.
 */
@NullMarked
package io.millrace.tasks;

import org.jspecify.annotations.NullMarked;
