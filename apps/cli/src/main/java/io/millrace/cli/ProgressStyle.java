// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

/** Style of the progress output. */
enum ProgressStyle {
    /** {@link #BAR} on a terminal, {@link #LOG} elsewhere. */
    AUTO,
    /** One line that is redrawn with each update. */
    BAR,
    /** A line every few seconds. */
    LOG,
    /** A JSON object per line. */
    NDJSON,
    /** No progress. */
    NONE
}
