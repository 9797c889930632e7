// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.List;

/**
 * What the server gave at one request.
 *
 * @param tasks now in this consumer's hands
 * @param aside what it put aside instead, having delivered it too often
 * @param vanished how many tasks it no longer had
 */
record Taken<T>(List<Received<T>> tasks, List<DeadLetter> aside, int vanished) {

    static <T> Taken<T> nothing() {
        return new Taken<>(List.of(), List.of(), 0);
    }

    boolean isEmpty() {
        return tasks.isEmpty() && aside.isEmpty() && vanished == 0;
    }
}
