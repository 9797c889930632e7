// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

/** How a combination of sorted sets computes the score of a member from its scores in the sorted sets. */
public enum Aggregate {
    /** The sum of the scores. */
    SUM,
    /** The lowest score. */
    MIN,
    /** The highest score. */
    MAX
}
