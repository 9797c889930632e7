// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.client.RedisUri;
import io.millrace.lab.client.Target;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.LabException;
import io.millrace.lab.server.RedisServer;
import io.millrace.lab.server.SentinelQuestion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** The server to measure. The options have the same names as in {@code millrace load}. */
final class ServerOptions {

    /** In place of an address that a target does not use. */
    private static final RedisUri.Tcp NOT_USED = new RedisUri.Tcp("127.0.0.1", 6379);

    @Option(
            names = {"-u", "--uri"},
            paramLabel = "URI",
            description =
                    "redis://user@host:6379/0, redis-cluster://host:6379,host:6380 or redis-sentinel://host:26379/0#name;"
                            + " without a server, the lab starts one on loopback")
    private Optional<String> uri = Optional.empty();

    @Option(names = "-h", paramLabel = "HOST", description = "host of the server")
    private Optional<String> host = Optional.empty();

    @Option(names = "-p", paramLabel = "PORT", description = "port of the server; without -h on 127.0.0.1")
    private Optional<Integer> port = Optional.empty();

    @Option(names = "--socket", paramLabel = "FILE", description = "Unix socket of the server")
    private Optional<Path> socket = Optional.empty();

    @Option(names = "--tls", description = "use TLS; needs --cacert")
    private boolean tls;

    @Option(names = "--cacert", paramLabel = "FILE", description = "PEM file of the authority to trust; implies --tls")
    private Optional<Path> certificate = Optional.empty();

    @Option(names = "--user", paramLabel = "NAME", description = "user, if the server has ACL users")
    private Optional<String> user = Optional.empty();

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description = "the first line is the password; otherwise REDISCLI_AUTH is used")
    private Optional<Path> passwordFile = Optional.empty();

    @Option(
            names = {"-n", "--database"},
            paramLabel = "NUMBER",
            description = "database of the server; default 0")
    private Optional<Integer> database = Optional.empty();

    @Option(names = "--cluster", description = "the server is a node of a Redis Cluster")
    private boolean cluster;

    @Option(
            names = "--beside-other-keys",
            description = "use a database that holds other keys; the lab does not touch them")
    private boolean besideOtherKeys;

    /**
     * The server that the user has named, or a server that the lab starts.
     *
     * @throws LabException if the server cannot be used
     */
    RedisServer open() {
        if (isNamed()) {
            return RedisServer.at(
                    target(), besideOtherKeys ? Keyspace.PREFIX_BESIDE_OTHERS : Keyspace.PREFIX_ALONE, () -> {});
        }
        boolean hasLogin = user.isPresent() || passwordFile.isPresent() || database.isPresent();
        if (hasLogin || certificate.isPresent() || tls || cluster || besideOtherKeys) {
            throw new LabException("--user, --password-file, --database, --tls, --cacert, --cluster and"
                    + " --beside-other-keys need a server. Name one with --uri, -h, -p or --socket.");
        }
        return RedisServer.start();
    }

    private boolean isNamed() {
        return uri.isPresent() || host.isPresent() || port.isPresent() || socket.isPresent();
    }

    private Target target() {
        RedisUri address = address();
        if (address.tls() && certificate.isEmpty()) {
            throw new LabException(
                    "TLS needs the certificate of the authority. Name a PEM file with --cacert. For a public"
                            + " authority, name the file of the system, such as /etc/ssl/certs/ca-certificates.crt.");
        }
        if (certificate.isPresent() && !Files.isReadable(certificate.get())) {
            throw new LabException("--cacert cannot be read: file=" + certificate.get() + ". Name a PEM file.");
        }
        int number = database.orElseGet(address::database);
        boolean isCluster = cluster || address.endpoint() instanceof RedisUri.Cluster;
        if (number < 0 || (isCluster && number > 0)) {
            throw new LabException("--database must be 0 or more, and 0 for a cluster: database=" + number + ".");
        }
        return switch (address.endpoint()) {
            case RedisUri.Tcp tcp -> target(address, tcp, number, cluster);
            case RedisUri.Unix unix ->
                target(address, NOT_USED, number, cluster).onSocket(unix.path());
            case RedisUri.Cluster nodes -> target(address, nodes.nodes().getFirst(), number, true);
            case RedisUri.Sentinels sentinels -> behind(sentinels, address, number);
        };
    }

    private Target target(RedisUri address, RedisUri.Tcp tcp, int number, boolean isCluster) {
        return new Target(
                tcp.host(),
                tcp.port(),
                Optional.empty(),
                user.or(address::user),
                password(address),
                number,
                certificate,
                isCluster,
                0,
                0,
                Target.LONG_TIMEOUT);
    }

    /** The primary that the Sentinels name. */
    private Target behind(RedisUri.Sentinels sentinels, RedisUri address, int number) {
        if (cluster) {
            throw new LabException("--cluster and Sentinels exclude each other. Omit --cluster.");
        }
        var group = new Target.Sentinels(
                sentinels.addresses().stream()
                        .map(tcp -> new Target.Address(tcp.host(), tcp.port()))
                        .toList(),
                sentinels.primary());
        return SentinelQuestion.primary(target(address, NOT_USED, number, false), group);
    }

    private RedisUri address() {
        boolean hasHost = host.isPresent() || port.isPresent();
        if (Stream.of(uri.isPresent(), hasHost, socket.isPresent())
                        .filter(named -> named)
                        .count()
                > 1) {
            throw new LabException("--uri, -h or -p, and --socket all name a server. Give one of them.");
        }
        try {
            RedisUri address = socket.map(RedisUri::unix)
                    .or(() -> uri.map(RedisUri::parse))
                    .orElseGet(() -> RedisUri.of(host.orElse("127.0.0.1"), port.orElse(RedisUri.PORT.defaultValue())));
            return tls ? address.withTls() : address;
        } catch (IllegalArgumentException e) {
            throw new LabException("the address of the server cannot be used: " + e.getMessage(), e);
        }
    }

    private Optional<String> password(RedisUri address) {
        if (passwordFile.isEmpty()) {
            return address.password().or(() -> Optional.ofNullable(System.getenv("REDISCLI_AUTH")));
        }
        try (var lines = Files.lines(passwordFile.get())) {
            return lines.findFirst();
        } catch (IOException | UncheckedIOException e) {
            throw new LabException(
                    "--password-file cannot be read: file=" + passwordFile.get() + ". Name a text file.", e);
        }
    }
}
