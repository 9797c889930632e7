// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

/** The effect of writing a row a second time. */
public enum Repetition {
    /** Redis then has the same data. */
    CHANGES_NOTHING("Load these rows again; writing the same row twice changes nothing."),
    /** The row is added a second time, as an element of a list or an entry of a stream. */
    ADDS_ROW_AGAIN(
            "Do not load these rows again before you have checked the key: a row that was written would be added a"
                    + " second time."),
    /** The row is left out, because its key exists. */
    LEAVES_ROW_OUT("Load these rows again; a row that was written is then left out.");

    private final String advice;

    Repetition(String advice) {
        this.advice = advice;
    }

    /** What to do with rows that may or may not have been written, as one or two sentences. */
    public String advice() {
        return advice;
    }
}
