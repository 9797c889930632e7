// SPDX-License-Identifier: Apache-2.0

/** Queue tests with a real Redis. Some start other processes and kill them. */
@NullMarked
package io.millrace.queue;

import org.jspecify.annotations.NullMarked;
