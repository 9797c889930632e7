// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.function.Supplier;

/**
 * A task as the server gave it.
 *
 * @param number which delivery it is, from 1
 * @param task reads it, or throws what the codec throws
 */
record Received<T>(String id, int number, Supplier<? extends T> task) {}
