// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.Setting.Unit;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Address of a server, and the login: {@code redis://user:password@host:6379/0}, {@code rediss://} for TLS, or
 * {@code unix://user:password@/path/to/socket?db=0}. With Sentinels, the address is the Sentinels and the name of the
 * primary: {@code redis-sentinel://user:password@host1:26379,host2:26379/0#name}, or {@code rediss-sentinel://} for TLS.
 * For a cluster, the address is some of its nodes: {@code redis-cluster://user:password@host1:6379,host2:6379}, or {@code
 * rediss-cluster://} for TLS. The schemes with {@code valkey} and {@code valkeys} mean the same as those with {@code redis} and {@code rediss}.
 * Immutable.
 *
 * <p>{@link #toString} never shows a password.
 */
public final class RedisUri {

    /** Range: 1 to 65535. Default: 6379, as in Redis and its tools. */
    public static final Setting<Integer> PORT =
            new Setting<>("port", 1, 65_535, 6_379, Unit.NUMBER, "Port of the server.");

    /** Port of a Sentinel if the URI has none, as in Redis. */
    private static final int SENTINEL_PORT = 26_379;

    /** Range: at least 0. Default: 0. */
    public static final Setting<Integer> DATABASE =
            new Setting<>("database", 0, Integer.MAX_VALUE, 0, Unit.NUMBER, "Database of the server.");

    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");

    /** A URI of Sentinels or of a cluster: scheme, authority, and the rest. */
    private static final Pattern SEVERAL_HOSTS = Pattern.compile("([a-z]+-(?:sentinel|cluster)://)([^/?#]*)(.*)");

    /** Address that a server listens on. */
    public sealed interface Endpoint {}

    /**
     * A TCP endpoint.
     *
     * @param host name or address; an IPv6 address without brackets, with its zone if the address is link-local:
     *     {@code fe80::1%eth0}
     * @param port port, 1 to 65,535
     */
    public record Tcp(String host, int port) implements Endpoint {

        public Tcp {
            if (Objects.requireNonNull(host, "host").isBlank()) {
                throw new IllegalArgumentException("the host is empty");
            }
            PORT.check(port);
        }
    }

    /** A Unix domain socket on this machine. */
    public record Unix(Path path) implements Endpoint {

        public Unix {
            Objects.requireNonNull(path, "path");
        }
    }

    /**
     * Sentinels, which know the current address of a primary. The client asks the Sentinels at each connection attempt.
     *
     * @param addresses addresses of the Sentinels, at least one
     * @param primary name of the primary in the configuration of the Sentinels
     * @param login login of the Sentinels themselves; the login of the primary is that of the URI
     */
    public record Sentinels(List<Tcp> addresses, String primary, Credentials login) implements Endpoint {

        public Sentinels {
            addresses = List.copyOf(Objects.requireNonNull(addresses, "addresses"));
            Objects.requireNonNull(login, "login");
            if (addresses.isEmpty()) {
                throw new IllegalArgumentException("there is no Sentinel");
            }
            if (Objects.requireNonNull(primary, "primary").isBlank()) {
                throw new IllegalArgumentException("the name of the primary is empty");
            }
        }
    }

    /**
     * A cluster. The client asks these nodes for all others.
     *
     * @param nodes addresses of some nodes, at least one
     */
    public record Cluster(List<Tcp> nodes) implements Endpoint {

        public Cluster {
            nodes = List.copyOf(Objects.requireNonNull(nodes, "nodes"));
            if (nodes.isEmpty()) {
                throw new IllegalArgumentException("there is no node");
            }
        }
    }

    private final Endpoint endpoint;
    private final boolean tls;
    private final String user;
    private final String password;
    private final int database;

    private RedisUri(Endpoint endpoint, boolean tls, String user, String password, int database) {
        DATABASE.check(database);
        if (!user.isEmpty() && password.isEmpty()) {
            throw new IllegalArgumentException("user " + user + " has no password");
        }
        if (database != 0 && endpoint instanceof Cluster) {
            throw new IllegalArgumentException("a cluster has only database 0: database=" + database);
        }
        if (tls && endpoint instanceof Unix) {
            throw new IllegalArgumentException("TLS is not supported on a Unix socket");
        }
        this.endpoint = endpoint;
        this.tls = tls;
        this.user = user;
        this.password = password;
        this.database = database;
    }

    /** Returns the URI of a server on TCP, without TLS and without a password, with database 0. */
    public static RedisUri of(String host, int port) {
        return new RedisUri(new Tcp(host, port), false, "", "", 0);
    }

    /** Returns the URI of a server on a Unix domain socket, without a password, with database 0. */
    public static RedisUri unix(Path socket) {
        return new RedisUri(new Unix(Objects.requireNonNull(socket, "socket")), false, "", "", 0);
    }

    /**
     * Returns the URI of the primary that {@code sentinels} know under the name {@code primary}, without TLS and without a
     * password, with database 0.
     */
    public static RedisUri sentinels(List<Tcp> sentinels, String primary) {
        Objects.requireNonNull(sentinels, "sentinels");
        return new RedisUri(new Sentinels(sentinels, primary, Credentials.none()), false, "", "", 0);
    }

    /** Returns the URI of the cluster of {@code nodes}, without TLS and without a password. */
    public static RedisUri cluster(List<Tcp> nodes) {
        Objects.requireNonNull(nodes, "nodes");
        return new RedisUri(new Cluster(nodes), false, "", "", 0);
    }

    /** Returns a copy with another address, and the same login, TLS and database. */
    public RedisUri withEndpoint(Endpoint other) {
        return new RedisUri(Objects.requireNonNull(other, "other"), tls, user, password, database);
    }

    /**
     * Returns a copy with the login of the Sentinels. Without it, the client does not log in to the Sentinels.
     *
     * @throws IllegalArgumentException if the address is not that of Sentinels
     */
    public RedisUri withSentinelLogin(Credentials login) {
        Objects.requireNonNull(login, "login");
        if (endpoint instanceof Sentinels sentinels) {
            return new RedisUri(
                    new Sentinels(sentinels.addresses(), sentinels.primary(), login), tls, user, password, database);
        }
        throw new IllegalArgumentException(this + " names no Sentinels");
    }

    /** Returns a copy with TLS. The connections to Sentinels use TLS, too. */
    public RedisUri withTls() {
        return new RedisUri(endpoint, true, user, password, database);
    }

    /** Returns a copy with the password of the default user; an empty text means no password. */
    public RedisUri withPassword(String newPassword) {
        Objects.requireNonNull(newPassword, "newPassword");
        return new RedisUri(endpoint, tls, user, newPassword, database);
    }

    /** Returns a copy with this user and password. */
    public RedisUri withLogin(String newUser, String newPassword) {
        Objects.requireNonNull(newUser, "newUser");
        Objects.requireNonNull(newPassword, "newPassword");
        return new RedisUri(endpoint, tls, newUser, newPassword, database);
    }

    /** Returns a copy with another database, 0 or more. */
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
     * Parses {@code redis[s]://[[user]:password@]host[:port][/database]},
     * {@code redis[s]-sentinel://[[user]:password@]host[:port][,host[:port]...][/database]#name}, {@code
     * redis[s]-cluster://[[user]:password@]host[:port][,host[:port]...]}, the same with {@code valkey[s]}, or {@code unix://[[user]:password@]/path[?db=database]}. Percent-decodes the user, the password, the path
     * and the name. An IPv6 address may have a zone: {@code redis://[fe80::1%25eth0]:6379}.
     *
     * @throws IllegalArgumentException if {@code text} is not such a URI; the message never quotes the URI, which may
     *     contain a password
     */
    public static RedisUri parse(String text) {
        // java.net.URI does not accept an authority of several hosts if one of them is an IPv6 address.
        Matcher several = SEVERAL_HOSTS.matcher(Objects.requireNonNull(text, "text"));
        boolean hasSeveral = several.matches();
        URI uri;
        try {
            uri = new URI(hasSeveral ? several.group(1) + "hosts" + several.group(3) : text);
        } catch (URISyntaxException e) {
            throw malformed(e.getReason() + " at character " + e.getIndex());
        }
        String authority = hasSeveral ? several.group(2) : uri.getRawAuthority() == null ? "" : uri.getRawAuthority();
        // The authority is parsed here, because java.net.URI returns no host if the name of the host contains an
        // underscore. The names of containers often contain an underscore.
        int at = authority.lastIndexOf('@');
        String login = at < 0 ? "" : authority.substring(0, at);
        RedisUri server = switch (String.valueOf(uri.getScheme())) {
            case "redis", "valkey" -> tcp(uri, authority.substring(at + 1));
            case "rediss", "valkeys" -> tcp(uri, authority.substring(at + 1)).withTls();
            case "redis-sentinel", "valkey-sentinel" -> sentinels(uri, authority.substring(at + 1));
            case "rediss-sentinel", "valkeys-sentinel" ->
                sentinels(uri, authority.substring(at + 1)).withTls();
            case "redis-cluster", "valkey-cluster" -> cluster(uri, authority.substring(at + 1));
            case "rediss-cluster", "valkeys-cluster" ->
                cluster(uri, authority.substring(at + 1)).withTls();
            case "unix" -> unix(uri, authority.substring(at + 1));
            default ->
                throw malformed("the scheme must be redis, rediss, redis-sentinel, rediss-sentinel, redis-cluster, "
                        + "rediss-cluster, the same with valkey, or unix");
        };
        int userEnd = login.indexOf(':');
        return server.withLogin(
                userEnd < 0 ? "" : percentDecoded(login.substring(0, userEnd)),
                percentDecoded(login.substring(userEnd + 1)));
    }

    private static RedisUri tcp(URI uri, String address) {
        if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw malformed("nothing may follow the database number");
        }
        return new RedisUri(tcp(address, PORT.defaultValue()), false, "", "", database(uri.getRawPath()));
    }

    private static RedisUri sentinels(URI uri, String addresses) {
        String primary = uri.getRawFragment();
        if (primary == null || primary.isEmpty()) {
            throw malformed("the name of the primary is missing: redis-sentinel://host:26379/0#name");
        }
        if (uri.getRawQuery() != null) {
            throw malformed("nothing may follow the database number but #name");
        }
        List<Tcp> sentinels = Arrays.stream(addresses.split(",", -1))
                .map(address -> tcp(address, SENTINEL_PORT))
                .toList();
        return sentinels(sentinels, percentDecoded(primary)).withDatabase(database(uri.getRawPath()));
    }

    private static RedisUri cluster(URI uri, String addresses) {
        if (uri.getRawQuery() != null || uri.getRawFragment() != null || database(uri.getRawPath()) != 0) {
            throw malformed("nothing may follow the addresses of a cluster");
        }
        return cluster(Arrays.stream(addresses.split(",", -1))
                .map(address -> tcp(address, PORT.defaultValue()))
                .toList());
    }

    private static Tcp tcp(String address, int defaultPort) {
        if (address.isEmpty()) {
            throw malformed("the host is missing");
        }
        if (address.chars().anyMatch(Character::isWhitespace)) {
            throw malformed("the address contains a blank");
        }
        int colon = address.indexOf(':', address.indexOf(']') + 1);
        String host = colon < 0 ? address : address.substring(0, colon);
        return new Tcp(
                host.startsWith("[") ? ipv6(host.substring(1, host.length() - 1)) : host,
                colon < 0 ? defaultPort : number("port", address.substring(colon + 1)));
    }

    /** Decodes the percent sign before a zone. A sign that is not encoded is accepted too, as by other clients. */
    private static String ipv6(String address) {
        return address.replaceFirst("%25(?=.)", "%");
    }

    private static RedisUri unix(URI uri, String address) {
        // An opaque URI, such as unix:foo, has no path.
        if (!address.isEmpty() || uri.getRawPath() == null || uri.getRawPath().length() < 2) {
            throw malformed("a Unix socket URI must have an absolute path and no host: unix:///run/redis.sock");
        }
        RedisUri server = unix(Path.of(percentDecoded(uri.getRawPath())));
        String query = uri.getRawQuery();
        if (query == null) {
            return server;
        }
        if (!query.startsWith("db=")) {
            throw malformed("only ?db=N may follow the path of a Unix socket");
        }
        return server.withDatabase(number("database", query.substring(3)));
    }

    /** Omits users and passwords: {@code redis://host:port/database}. */
    @Override
    public String toString() {
        String scheme = tls ? "rediss" : "redis";
        return switch (endpoint) {
            case Unix unix -> "unix://" + unix.path() + (database == 0 ? "" : "?db=" + database);
            case Tcp tcp -> scheme + "://" + text(tcp) + (database == 0 ? "" : "/" + database);
            case Sentinels sentinels ->
                sentinels.addresses().stream()
                                .map(RedisUri::text)
                                .collect(Collectors.joining(",", scheme + "-sentinel://", "/" + database + "#"))
                        + percentEncoded(sentinels.primary());
            case Cluster cluster ->
                cluster.nodes().stream()
                        .map(RedisUri::text)
                        .collect(Collectors.joining(",", scheme + "-cluster://", ""));
        };
    }

    private static String text(Tcp tcp) {
        String host = tcp.host().indexOf(':') >= 0 ? "[" + tcp.host().replace("%", "%25") + "]" : tcp.host();
        return host + ":" + tcp.port();
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
        // URLDecoder decodes '+' as a space, which is right in an HTML form. In a URI, '+' is a literal plus sign.
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static String percentEncoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static int database(String path) {
        if (path.isEmpty() || path.equals("/")) {
            return 0;
        }
        return number("database", path.substring(1));
    }

    private static int number(String field, String digits) {
        // The digits are checked here, because the JDK's exception quotes the text, which may be a misplaced password.
        if (!NUMBER.matcher(digits).matches()) {
            throw malformed("the " + field + " must be a number");
        }
        return Integer.parseInt(digits);
    }

    private static IllegalArgumentException malformed(String reason) {
        return new IllegalArgumentException(
                "not a Redis URI: " + reason + ". Expected form: redis://user:password@host:6379/0");
    }
}
