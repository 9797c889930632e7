// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The server that a client connects to, and the few settings that an experiment prescribes.
 *
 * @param host name or address of the server, or of the proxy before the server
 * @param port TCP port, 1 to 65,535
 * @param socket path of a Unix socket, used instead of host and port; empty for TCP
 * @param username empty for the default user
 * @param password empty if the server has no password
 * @param database number of the database, 0 or higher
 * @param certificate PEM file with the certificate of the authority that the client trusts; if present, connections use
 *     TLS
 * @param cluster whether the server is a node of a Redis Cluster
 * @param connections number of connections; 0 for the default of the library. Libraries that always use one connection
 *     ignore this number
 * @param inFlight limit of commands in flight of all connections together; 0 for the default of the library. Libraries
 *     without such a limit ignore this number
 * @param timeout time limit of a command; {@link #LONG_TIMEOUT} if an experiment is not about timeouts
 * @param sentinels the Sentinels of the server; empty if the user names none. Host and port belong to the primary when
 *     the lab started
 */
public record Target(
        String host,
        int port,
        Optional<Path> socket,
        Optional<String> username,
        Optional<String> password,
        int database,
        Optional<Path> certificate,
        boolean cluster,
        int connections,
        int inFlight,
        Duration timeout,
        Optional<Sentinels> sentinels) {

    /**
     * Sentinels that know the address of a primary. They need no login.
     *
     * @param addresses at least one
     * @param primary name of the primary in the configuration of the Sentinels
     */
    public record Sentinels(List<Address> addresses, String primary) {

        public Sentinels {
            addresses = List.copyOf(addresses);
        }
    }

    /** Where a Sentinel listens. */
    public record Address(String host, int port) {}

    /** Long enough that no command of a correct round reaches the limit. */
    public static final Duration LONG_TIMEOUT = Duration.ofMinutes(2);

    public Target {
        Objects.requireNonNull(host);
        if (port < 1 || port > 65_535 || connections < 0 || inFlight < 0 || database < 0) {
            throw new IllegalArgumentException("wrong target: port=" + port + ", connections=" + connections
                    + ", inFlight=" + inFlight + ", database=" + database);
        }
    }

    /** A server without Sentinels. */
    public Target(
            String host,
            int port,
            Optional<Path> socket,
            Optional<String> username,
            Optional<String> password,
            int database,
            Optional<Path> certificate,
            boolean cluster,
            int connections,
            int inFlight,
            Duration timeout) {
        this(
                host,
                port,
                socket,
                username,
                password,
                database,
                certificate,
                cluster,
                connections,
                inFlight,
                timeout,
                Optional.empty());
    }

    /** A server without login, with the defaults of the library and {@link #LONG_TIMEOUT}. */
    public static Target of(String host, int port) {
        Optional<String> none = Optional.empty();
        return new Target(host, port, Optional.empty(), none, none, 0, Optional.empty(), false, 0, 0, LONG_TIMEOUT);
    }

    /** The same server behind another host and port, such as the address of a proxy. Clients ask no Sentinels there. */
    public Target at(String host, int port) {
        Optional<Path> tcp = Optional.empty();
        return new Target(
                host, port, tcp, username, password, database, certificate, cluster, connections, inFlight, timeout);
    }

    /** The same server, whose address clients learn from Sentinels. */
    public Target behind(Sentinels group) {
        return new Target(
                host,
                port,
                socket,
                username,
                password,
                database,
                certificate,
                cluster,
                connections,
                inFlight,
                timeout,
                Optional.of(group));
    }

    /** The same address without user, password, database and Sentinels, such as to connect to a Sentinel. */
    public Target withoutLogin() {
        Optional<String> none = Optional.empty();
        return new Target(host, port, socket, none, none, 0, certificate, cluster, connections, inFlight, timeout);
    }

    /** The same server as a node of a Redis Cluster. */
    public Target asCluster() {
        return new Target(
                host, port, socket, username, password, database, certificate, true, connections, inFlight, timeout);
    }

    /** The same server, reached over a Unix socket. */
    public Target onSocket(Path path) {
        return new Target(
                host,
                port,
                Optional.of(path),
                username,
                password,
                database,
                certificate,
                cluster,
                connections,
                inFlight,
                timeout,
                sentinels);
    }

    public Target withConnections(int number) {
        return new Target(
                host,
                port,
                socket,
                username,
                password,
                database,
                certificate,
                cluster,
                number,
                inFlight,
                timeout,
                sentinels);
    }

    public Target withInFlight(int limit) {
        return new Target(
                host,
                port,
                socket,
                username,
                password,
                database,
                certificate,
                cluster,
                connections,
                limit,
                timeout,
                sentinels);
    }

    public Target withTimeout(Duration limit) {
        return new Target(
                host,
                port,
                socket,
                username,
                password,
                database,
                certificate,
                cluster,
                connections,
                inFlight,
                limit,
                sentinels);
    }

    /** {@link #connections}, or {@code usual} if the experiment prescribes no number. */
    public int connections(int usual) {
        return connections == 0 ? usual : connections;
    }

    /** {@link #inFlight}, or {@code usual} if the experiment prescribes no limit. */
    public int inFlight(int usual) {
        return inFlight == 0 ? usual : inFlight;
    }

    /** The address without the login, for messages. */
    public String address() {
        return socket.map(path -> "unix:" + path).orElse(host + ":" + port);
    }

    /** Does not contain the password. */
    @Override
    public String toString() {
        return address() + (database == 0 ? "" : "/" + database) + (certificate.isPresent() ? " with TLS" : "");
    }
}
