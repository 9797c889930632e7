// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

/**
 * The rhythm of a round while it goes on, in a line that never gets too long: a P for each batch that is produced, or
 * for several where the room is very small, and a C for as many consumed tasks as have to share one. Used by one
 * thread.
 */
final class Letters {

    private final int room;
    private final StringBuilder line = new StringBuilder();
    private long batches;
    private long tasks;
    private int shownP;
    private int shownC;

    /** In {@code room} characters, from 2. */
    Letters(int room) {
        this.room = room;
    }

    /** The line with what {@code step} brings. */
    String after(Step step) {
        batches += step.batches();
        tasks += step.tasks();
        int batchesPerLetter = Math.ceilDiv(step.allBatches(), Math.max(1, room / 2));
        int placesOfP = Math.ceilDiv(step.allBatches(), batchesPerLetter);
        int tasksPerLetter = Math.ceilDiv(step.allTasks(), Math.max(1, room - placesOfP));
        for (; shownP < placesOfP && (long) shownP * batchesPerLetter < batches; shownP++) {
            line.append('P');
        }
        for (; (shownC + 1L) * tasksPerLetter <= tasks; shownC++) {
            line.append('C');
        }
        return line.toString();
    }
}
