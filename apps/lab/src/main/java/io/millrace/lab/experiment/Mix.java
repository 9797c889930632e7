// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

/**
 * Which part of the commands reads.
 *
 * @param reads number of {@code GET}s in each group of {@code reads + writes} commands, 0 or more
 * @param writes number of {@code SET}s in each group, 0 or more
 */
public record Mix(int reads, int writes) {

    /** {@code SET} and {@code GET} in turn. */
    public static final Mix HALF = new Mix(1, 1);

    public static final Mix WRITES = new Mix(0, 1);
    public static final Mix READS = new Mix(1, 0);

    public Mix {
        if (reads < 0 || writes < 0 || reads + writes == 0) {
            throw new IllegalArgumentException("wrong mix: reads=" + reads + ", writes=" + writes
                    + ". Name two numbers from 0, not both 0, such as 9:1.");
        }
    }

    /** Parses {@code reads:writes}, such as {@code 9:1}. */
    public static Mix parse(String text) {
        String[] parts = text.split(":", -1);
        try {
            if (parts.length == 2) {
                return new Mix(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
            }
        } catch (NumberFormatException e) {
            // The message below is the same for every wrong text.
        }
        throw new IllegalArgumentException("wrong mix: " + text + ". Name reads and writes, such as 9:1.");
    }

    /** Whether command {@code index} of a caller reads. The reads are spread evenly. */
    public boolean isRead(long index) {
        long group = (long) reads + writes;
        long place = index % group;
        return (place + 1) * reads / group > place * reads / group;
    }

    @Override
    public String toString() {
        return reads + ":" + writes;
    }
}
