// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

/** How progress is shown. */
enum ProgressStyle {
    /** A bar on a terminal, lines otherwise. */
    AUTO,
    /** One line that is drawn over and over. */
    BAR,
    /** A line every few seconds. */
    LOG,
    /** A JSON object per line. */
    NDJSON,
    NONE
}
