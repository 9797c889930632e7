// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.gate;

import java.util.function.BiConsumer;

/** The headers of each answer. */
final class SecurityHeaders {

    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
            + "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

    private SecurityHeaders() {}

    static void write(BiConsumer<String, String> setHeader) {
        setHeader.accept("Content-Security-Policy", POLICY);
        setHeader.accept("X-Content-Type-Options", "nosniff");
        setHeader.accept("Referrer-Policy", "no-referrer");
        setHeader.accept("Cache-Control", "no-store");
    }
}
