// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.List;

/**
 * When batches were produced and tasks consumed in a round, in milliseconds from its start, each list in the order of
 * time.
 *
 * @param producedMillis one for each batch
 * @param tasksPerMark tasks between two entries of the next list, from 1
 * @param consumedMillis one for so many tasks each, when the last of them was consumed; the last entry may stand for
 *     fewer
 */
public record Trace(List<Double> producedMillis, int tasksPerMark, List<Double> consumedMillis) {

    public Trace {
        producedMillis = List.copyOf(producedMillis);
        consumedMillis = List.copyOf(consumedMillis);
    }

    /** The rhythm in letters: a P for each batch, a C for each entry of the consumed, in the order of time. */
    public String letters() {
        var letters = new StringBuilder();
        int consumed = 0;
        for (double produced : producedMillis) {
            for (; consumed < consumedMillis.size() && consumedMillis.get(consumed) < produced; consumed++) {
                letters.append('C');
            }
            letters.append('P');
        }
        return letters.append("C".repeat(consumedMillis.size() - consumed)).toString();
    }
}
