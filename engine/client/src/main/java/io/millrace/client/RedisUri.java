// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where a server is and who asks: {@code redis://user:password@host:6379/0}, {@code rediss://} for TLS, or
 * {@code unix://user:password@/path/to/socket?db=0}. Immutable.
 *
 * <p>Its text form never shows the password.
 */
public final class RedisUri {

    /** Default of Redis and its tools. */
    public static final int DEFAULT_PORT = 6379;

    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");

    /** Where a server listens. */
    public sealed interface Endpoint {}

    /**
     * A port of a host.
     *
     * @param host name or address; an IPv6 address without brackets
     * @param port 1 to 65,535
     */
    public record Tcp(String host, int port) implements Endpoint {

        public Tcp {
            if (Objects.requireNonNull(host, "host").isBlank()) {
                throw new IllegalArgumentException("the host is empty");
            }
            if (port < 1 || port > 65_535) {
                throw new IllegalArgumentException("port must be 1 to 65535, not " + port);
            }
        }
    }

    /** A Unix socket of this machine. */
    public record Unix(Path path) implements Endpoint {

        public Unix {
            Objects.requireNonNull(path, "path");
        }
    }

    private final Endpoint endpoint;
    private final boolean tls;
    private final String user;
    private final String password;
    private final int database;

    private RedisUri(Endpoint endpoint, boolean tls, String user, String password, int database) {
        if (database < 0) {
            throw new IllegalArgumentException("database must be 0 or more, not " + database);
        }
        if (!user.isEmpty() && password.isEmpty()) {
            throw new IllegalArgumentException("user " + user + " has no password");
        }
        if (tls && endpoint instanceof Unix) {
            throw new IllegalArgumentException("a Unix socket has no TLS: it does not leave the machine");
        }
        this.endpoint = endpoint;
        this.tls = tls;
        this.user = user;
        this.password = password;
        this.database = database;
    }

    /** A server without password, database 0. */
    public static RedisUri of(String host, int port) {
        return new RedisUri(new Tcp(host, port), false, "", "", 0);
    }

    /** A server at a Unix socket, without password, database 0. */
    public static RedisUri unix(Path socket) {
        return new RedisUri(new Unix(Objects.requireNonNull(socket, "socket")), false, "", "", 0);
    }

    /** This server over TLS. */
    public RedisUri withTls() {
        return new RedisUri(endpoint, true, user, password, database);
    }

    /** This server for the default user with {@code newPassword}; none if it is empty. */
    public RedisUri withPassword(String newPassword) {
        Objects.requireNonNull(newPassword, "newPassword");
        return new RedisUri(endpoint, tls, user, newPassword, database);
    }

    /** This server for {@code newUser} with {@code newPassword}. */
    public RedisUri withLogin(String newUser, String newPassword) {
        Objects.requireNonNull(newUser, "newUser");
        Objects.requireNonNull(newPassword, "newPassword");
        return new RedisUri(endpoint, tls, newUser, newPassword, database);
    }

    /** Another database of this server, 0 and up. */
    public RedisUri withDatabase(int newDatabase) {
        return new RedisUri(endpoint, tls, user, password, newDatabase);
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    public boolean tls() {
        return tls;
    }

    /** The ACL user; empty means the default user. */
    public Optional<String> user() {
        return user.isEmpty() ? Optional.empty() : Optional.of(user);
    }

    public Optional<String> password() {
        return password.isEmpty() ? Optional.empty() : Optional.of(password);
    }

    public int database() {
        return database;
    }

    /**
     * Reads {@code redis[s]://[[user]:password@]host[:port][/database]} or {@code
     * unix://[[user]:password@]/path[?db=database]}. User, password and path are percent-decoded.
     *
     * @throws IllegalArgumentException if it is none; the message never quotes the URI, which may hold a password
     */
    public static RedisUri parse(String text) {
        URI uri;
        try {
            uri = new URI(Objects.requireNonNull(text, "text"));
        } catch (URISyntaxException e) {
            throw malformed(e.getReason() + " at character " + e.getIndex());
        }
        String authority = uri.getRawAuthority() == null ? "" : uri.getRawAuthority();
        // Taken apart here, because java.net.URI sees no host in a name with an underscore, which containers often
        // have.
        int at = authority.lastIndexOf('@');
        String login = at < 0 ? "" : authority.substring(0, at);
        RedisUri server = switch (String.valueOf(uri.getScheme())) {
            case "redis" -> tcp(uri, authority.substring(at + 1));
            case "rediss" -> tcp(uri, authority.substring(at + 1)).withTls();
            case "unix" -> unix(uri, authority.substring(at + 1));
            default -> throw malformed("the scheme must be redis, rediss or unix");
        };
        int userEnd = login.indexOf(':');
        return server.withLogin(
                userEnd < 0 ? "" : percentDecoded(login.substring(0, userEnd)),
                percentDecoded(login.substring(userEnd + 1)));
    }

    private static RedisUri tcp(URI uri, String address) {
        if (address.isEmpty()) {
            throw malformed("it names no host");
        }
        if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw malformed("nothing may follow the database number");
        }
        int colon = address.indexOf(':', address.indexOf(']') + 1);
        String host = colon < 0 ? address : address.substring(0, colon);
        return of(
                        host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
                        colon < 0 ? DEFAULT_PORT : number("port", address.substring(colon + 1)))
                .withDatabase(database(uri.getRawPath()));
    }

    private static RedisUri unix(URI uri, String address) {
        if (!address.isEmpty() || uri.getRawPath().length() < 2) {
            throw malformed("a Unix socket has an absolute path and no host: unix:///run/redis.sock");
        }
        RedisUri server = unix(Path.of(percentDecoded(uri.getRawPath())));
        String query = uri.getRawQuery();
        if (query == null) {
            return server;
        }
        if (!query.startsWith("db=")) {
            throw malformed("nothing but ?db=N may follow the path of a Unix socket");
        }
        return server.withDatabase(number("database", query.substring(3)));
    }

    /** Without user and password: {@code redis://host:port/database}. */
    @Override
    public String toString() {
        return switch (endpoint) {
            case Unix unix -> "unix://" + unix.path() + (database == 0 ? "" : "?db=" + database);
            case Tcp tcp -> {
                String host = tcp.host().indexOf(':') >= 0 ? "[" + tcp.host() + "]" : tcp.host();
                yield (tls ? "rediss://" : "redis://") + host + ":" + tcp.port()
                        + (database == 0 ? "" : "/" + database);
            }
        };
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RedisUri that
                && endpoint.equals(that.endpoint)
                && tls == that.tls
                && user.equals(that.user)
                && password.equals(that.password)
                && database == that.database;
    }

    @Override
    public int hashCode() {
        return Objects.hash(endpoint, tls, user, password, database);
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
        // Checked here: the JDK's exception would quote what may be a password in the wrong place.
        if (!NUMBER.matcher(digits).matches()) {
            throw malformed("the " + what + " must be a number");
        }
        return Integer.parseInt(digits);
    }

    private static IllegalArgumentException malformed(String why) {
        return new IllegalArgumentException(
                "not a Redis URI: " + why + ". It looks like redis://user:password@host:6379/0");
    }
}
