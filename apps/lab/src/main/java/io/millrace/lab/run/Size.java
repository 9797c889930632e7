// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

/**
 * How much is to be done in a round.
 *
 * @param operations commands or rows of an ordinary workload, from 10
 * @param memoryRows rows of the workloads that watch memory, and bits of those that pack them, from 10
 */
public record Size(long operations, long memoryRows) {

    public Size {
        if (operations < 10 || memoryRows < 10) {
            throw new IllegalArgumentException("too little to measure: operations=" + operations + ", rows="
                    + memoryRows + ". Ask for 10 or more.");
        }
    }

    /** A tenth of this size. */
    public Size tenth() {
        return new Size(Math.max(10, operations / 10), Math.max(10, memoryRows / 10));
    }
}
