// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Optional;

/**
 * Where a server is and who asks: {@code redis://user:password@host:6379/0}, or {@code rediss://} for TLS.
 *
 * <p>Its text form never shows the password.
 */
public record RedisUri(
        String host, int port, boolean tls, Optional<String> user, Optional<String> password, int database) {

    /** Default of Redis and its tools. */
    public static final int DEFAULT_PORT = 6379;
}
