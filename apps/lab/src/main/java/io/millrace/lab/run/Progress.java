// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

/** Who is told how a run goes, while it goes. Told by one thread at a time. */
@FunctionalInterface
public interface Progress {

    /** A line that stays. */
    void line(String text);

    /** What is going on at this moment; takes the place of what it was told before. By default nobody looks. */
    default void now(String text) {}

    /** How many characters of what {@link #now} is told are seen. */
    default int room() {
        return 80;
    }
}
