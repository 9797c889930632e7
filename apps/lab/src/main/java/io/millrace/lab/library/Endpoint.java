// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import java.time.Duration;
import java.util.Optional;

/**
 * Where a server is and how to get in. Plain TCP.
 *
 * @param username empty for the default user
 * @param password empty if none is asked for
 * @param database from 0
 */
public record Endpoint(String host, int port, Optional<String> username, Optional<String> password, int database) {

    /**
     * How long every library waits for a reply, whatever its default: where one would give up sooner than the others,
     * and perhaps send again, they would not do the same.
     */
    public static final Duration REPLY_TIMEOUT = Duration.ofSeconds(60);

    /** A server that asks for nothing. */
    public static Endpoint of(String host, int port) {
        return new Endpoint(host, port, Optional.empty(), Optional.empty(), 0);
    }

    /** The same door with another number: that of a proxy on this machine. */
    public Endpoint through(String proxyHost, int proxyPort) {
        return new Endpoint(proxyHost, proxyPort, username, password, database);
    }

    /** {@code redis://host:port}, without the way in: an IPv6 address in brackets. */
    String uri() {
        return "redis://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /** Without the password. */
    @Override
    public String toString() {
        return host + ":" + port + "/" + database;
    }
}
