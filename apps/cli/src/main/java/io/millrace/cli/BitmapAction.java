// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

/** What {@code millrace bitmap} does. */
enum BitmapAction {
    /** Stores a population of random bits. */
    CREATE,
    /** Counts the set bits of a population, or the active ids of an activity. */
    COUNT,
    /** Prints the offsets of the set bits of a population, or the active ids of an activity. */
    MEMBERS,
    /** Prints the retention table of an activity. */
    RETENTION
}
