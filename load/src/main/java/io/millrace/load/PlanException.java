// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

/** A plan that cannot be carried out, found before anything was written: an unknown column, options that contradict. */
public final class PlanException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public PlanException(String message) {
        super(message);
    }
}
