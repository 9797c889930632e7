// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.gate;

import jakarta.servlet.ServletRequest;
import java.util.function.BooleanSupplier;

/** Tells a long answer whether its request is still allowed: the session of the request may end before the answer. */
public final class Admission {

    private static final String ATTRIBUTE = Admission.class.getName();

    private Admission() {}

    static void put(ServletRequest request, BooleanSupplier admitted) {
        request.setAttribute(ATTRIBUTE, admitted);
    }

    /** Whether the request was allowed because of its session, and not because of the token. */
    static boolean isBySession(ServletRequest request) {
        return request.getAttribute(ATTRIBUTE) != null;
    }

    /** Returns whether the request is allowed at the moment of each call. Any thread may call. */
    public static BooleanSupplier of(ServletRequest request) {
        return request.getAttribute(ATTRIBUTE) instanceof BooleanSupplier admitted ? admitted : () -> true;
    }
}
