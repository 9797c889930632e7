// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.server;

/** The lab, or a contender, cannot do its work. The message is for the user. */
public final class LabException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public LabException(String message) {
        super(message);
    }

    public LabException(String message, Throwable cause) {
        super(message, cause);
    }
}
