// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

/** The user has ended the lab, such as with Ctrl-C. */
public final class LabInterrupted extends RuntimeException {

    private static final long serialVersionUID = 1L;

    LabInterrupted() {
        super("the lab was interrupted");
    }
}
