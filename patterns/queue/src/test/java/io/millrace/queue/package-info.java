// SPDX-License-Identifier: Apache-2.0

/** Queue tests with a real Redis. Some tests start other processes and kill these processes. */
@NullMarked
package io.millrace.queue;

import org.jspecify.annotations.NullMarked;
