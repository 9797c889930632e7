// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Where a server is and who asks: {@code redis://user:password@host:6379/0}, or {@code rediss://} for TLS.
 *
 * <p>Its text form never shows the password.
 *
 * @param host name or address; an IPv6 address without brackets
 * @param port 1 to 65,535
 * @param user ACL user; needs a password
 * @param database 0 and up
 */
public record RedisUri(
        String host, int port, boolean tls, Optional<String> user, Optional<String> password, int database) {

    /** Default of Redis and its tools. */
    public static final int DEFAULT_PORT = 6379;

    public RedisUri {
        if (host.isBlank()) {
            throw new IllegalArgumentException("the host is empty");
        }
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("port must be 1 to 65535, not " + port);
        }
        if (database < 0) {
            throw new IllegalArgumentException("database must be 0 or more, not " + database);
        }
        if (user.isPresent() && password.isEmpty()) {
            throw new IllegalArgumentException("user " + user.get() + " has no password");
        }
    }

    /** A server without password, database 0. */
    public static RedisUri of(String host, int port) {
        return new RedisUri(host, port, false, Optional.empty(), Optional.empty(), 0);
    }

    /**
     * Reads {@code redis[s]://[[user]:password@]host[:port][/database]}. User and password are percent-decoded.
     *
     * @throws IllegalArgumentException if it is none; the message never quotes the URI, which may hold a password
     */
    public static RedisUri parse(String text) {
        URI uri;
        try {
            uri = new URI(text);
        } catch (URISyntaxException e) {
            throw malformed(e.getReason() + " at character " + e.getIndex());
        }
        String scheme = uri.getScheme();
        if (!"redis".equals(scheme) && !"rediss".equals(scheme)) {
            throw malformed("the scheme must be redis or rediss");
        }
        String authority = uri.getRawAuthority();
        if (authority == null) {
            throw malformed("it names no host");
        }
        if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw malformed("nothing may follow the database number");
        }
        // Taken apart here, because java.net.URI sees no host in a name with an underscore, which containers often
        // have.
        int at = authority.lastIndexOf('@');
        String login = at < 0 ? "" : authority.substring(0, at);
        String address = authority.substring(at + 1);
        int colon = address.indexOf(':', address.indexOf(']') + 1);
        String host = colon < 0 ? address : address.substring(0, colon);
        int userEnd = login.indexOf(':');
        return new RedisUri(
                host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
                colon < 0 ? DEFAULT_PORT : number("port", address.substring(colon + 1)),
                scheme.equals("rediss"),
                userEnd < 0 ? Optional.empty() : present(login.substring(0, userEnd)),
                present(login.substring(userEnd + 1)),
                database(uri.getRawPath()));
    }

    /** This server for {@code newUser} (none if empty) with {@code newPassword}. */
    public RedisUri withLogin(Optional<String> newUser, Optional<String> newPassword) {
        return new RedisUri(host, port, tls, newUser, newPassword, database);
    }

    /** Without user and password: {@code redis://host:port/database}. */
    @Override
    public String toString() {
        String shownHost = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return (tls ? "rediss://" : "redis://") + shownHost + ":" + port + (database == 0 ? "" : "/" + database);
    }

    private static Optional<String> present(String encoded) {
        return encoded.isEmpty() ? Optional.empty() : Optional.of(percentDecoded(encoded));
    }

    private static String percentDecoded(String text) {
        // URLDecoder reads '+' as a blank, which is right for forms and wrong here.
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static int database(String path) {
        if (path.isEmpty() || path.equals("/")) {
            return 0;
        }
        return number("database", path.substring(1));
    }

    private static int number(String what, String digits) {
        try {
            return Integer.parseInt(digits);
        } catch (NumberFormatException e) {
            throw malformed("the " + what + " must be a number");
        }
    }

    private static IllegalArgumentException malformed(String why) {
        return new IllegalArgumentException(
                "not a Redis URI: " + why + ". It looks like redis://user:password@host:6379/0");
    }
}
