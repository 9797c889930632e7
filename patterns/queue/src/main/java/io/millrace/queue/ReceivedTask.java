// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.function.Supplier;

/**
 * A task received from the server, not decoded yet.
 *
 * @param number the number of this delivery, from 1
 * @param task a function that decodes the task. If the codec throws an exception, the function throws it too
 */
record ReceivedTask<T>(String id, int number, Supplier<? extends T> task) {}
