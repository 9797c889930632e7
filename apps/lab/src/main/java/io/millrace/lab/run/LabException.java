// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

/** Something the lab needs is missing, or a contender did not do its task. The message is one line for a person. */
public final class LabException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public LabException(String message) {
        super(message);
    }

    public LabException(String message, Throwable cause) {
        super(message, cause);
    }
}
