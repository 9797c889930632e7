// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

/** Thrown at each point of a schedule that has failed, so that its threads unwind and end. */
final class Abandoned extends Error {

    private static final long serialVersionUID = 1;

    Abandoned() {
        super("the schedule has failed and is being abandoned", null, false, false);
    }
}
