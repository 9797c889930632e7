// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

/** Whoever runs the lab wants it to end: nothing went wrong, and nothing more is to be measured. */
public final class LabStopped extends RuntimeException {

    private static final long serialVersionUID = 1L;

    LabStopped() {
        super("the lab was interrupted");
    }
}
