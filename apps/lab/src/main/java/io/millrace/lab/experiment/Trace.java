// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import java.util.List;

/**
 * When batches were produced and tasks consumed. All times are in milliseconds since the start of the round, in
 * ascending order.
 *
 * @param producedMillis one time for each batch
 * @param tasksPerMark number of tasks between two entries of {@code consumedMillis}, 1 or more
 * @param consumedMillis one time for each group of consumed tasks; the last group may be smaller
 */
public record Trace(List<Double> producedMillis, int tasksPerMark, List<Double> consumedMillis) {

    public Trace {
        producedMillis = List.copyOf(producedMillis);
        consumedMillis = List.copyOf(consumedMillis);
    }
}
