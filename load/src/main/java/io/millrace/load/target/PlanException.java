// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

/**
 * Thrown if a load plan is invalid, for example because of an unknown column or contradicting options. Nothing has been
 * written then.
 */
public final class PlanException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public PlanException(String message) {
        super(message);
    }

    public PlanException(String message, Throwable cause) {
        super(message, cause);
    }
}
