// SPDX-License-Identifier: Apache-2.0

/**
 * Task processing with producers, a bounded buffer, consumers, and an outcome for every task. Start with {@link
 * io.millrace.tasks.TaskFlow}.
 */
@NullMarked
package io.millrace.tasks;

import org.jspecify.annotations.NullMarked;
