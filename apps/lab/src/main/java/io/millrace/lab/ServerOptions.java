// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.client.RedisUri;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.embedded.EmbeddedRedisException;
import io.millrace.lab.library.Endpoint;
import io.millrace.lab.run.Keyspace;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which server is measured; the names are those of {@code millrace load}. */
final class ServerOptions {

    @Option(
            names = {"-u", "--uri"},
            paramLabel = "URI",
            description = "redis://user@host:6379/0. Without a server, one is started on loopback.")
    private Optional<String> uri = Optional.empty();

    @Option(names = "-h", paramLabel = "HOST", description = "host of the server")
    private Optional<String> host = Optional.empty();

    @Option(names = "-p", paramLabel = "PORT", description = "port of the server; alone, on 127.0.0.1")
    private Optional<Integer> port = Optional.empty();

    @Option(names = "--user", paramLabel = "NAME", description = "user, where the server has ACL users")
    private Optional<String> user = Optional.empty();

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description = "its first line is the password; otherwise REDISCLI_AUTH is taken")
    private Optional<Path> passwordFile = Optional.empty();

    @Option(
            names = {"-n", "--database"},
            paramLabel = "NUMBER",
            description = "database of the server; default 0")
    private Optional<Integer> database = Optional.empty();

    @Option(
            names = "--beside-other-keys",
            description = "work in a database that holds other keys, which are left alone")
    private boolean besideOtherKeys;

    /**
     * The server that was named, or one of the lab's own.
     *
     * @throws LabException if it cannot be used
     */
    RedisServer open() {
        if (isNamed()) {
            return named();
        }
        if (user.isPresent() || passwordFile.isPresent() || database.isPresent() || besideOtherKeys) {
            throw new LabException("there is no server to which --user, --password-file, --database and"
                    + " --beside-other-keys could apply. Name a server with --uri, -h or -p.");
        }
        return embedded();
    }

    private boolean isNamed() {
        return uri.isPresent() || host.isPresent() || port.isPresent();
    }

    private static RedisServer embedded() {
        try {
            var redis = EmbeddedRedis.start();
            return RedisServer.at(Endpoint.of(redis.host(), redis.port()), Keyspace.WHOLE, redis::close);
        } catch (EmbeddedRedisException e) {
            throw new LabException("no server could be started: " + e.getMessage() + " Name one with --uri.", e);
        }
    }

    private RedisServer named() {
        return RedisServer.at(
                endpoint(), besideOtherKeys ? Keyspace.PREFIX_BESIDE_OTHERS : Keyspace.PREFIX_ALONE, () -> {});
    }

    private Endpoint endpoint() {
        var parsed = uri.map(ServerOptions::parsed);
        if (parsed.isPresent() && (host.isPresent() || port.isPresent())) {
            throw new LabException("--uri and -h or -p both name a server. Give one of them.");
        }
        var address = parsed.map(ServerOptions::address).orElseGet(this::hostAndPort);
        if (database.orElse(0) < 0) {
            throw new LabException("--database must be 0 or more: " + database.get() + ".");
        }
        return new Endpoint(
                address.host(),
                address.port(),
                user.or(() -> parsed.flatMap(RedisUri::user)),
                password().or(() -> parsed.flatMap(RedisUri::password)),
                database.or(() -> parsed.map(RedisUri::database)).orElse(0));
    }

    private RedisUri.Tcp hostAndPort() {
        try {
            return new RedisUri.Tcp(host.orElse("127.0.0.1"), port.orElse(RedisUri.PORT.defaultValue()));
        } catch (IllegalArgumentException e) {
            throw new LabException("-h or -p cannot be used: " + e.getMessage(), e);
        }
    }

    private static RedisUri parsed(String text) {
        try {
            return RedisUri.parse(text);
        } catch (IllegalArgumentException e) {
            throw new LabException("--uri cannot be used: " + e.getMessage(), e);
        }
    }

    private static RedisUri.Tcp address(RedisUri uri) {
        if (uri.tls()) {
            throw new LabException("--uri asks for TLS, which the lab does not measure: not every contender could be"
                    + " given the same certificates. Name a plain port, or a tunnel's.");
        }
        return switch (uri.endpoint()) {
            case RedisUri.Tcp tcp -> tcp;
            case RedisUri.Unix unix ->
                throw new LabException("--uri names a Unix socket, which most contenders cannot use: " + unix.path()
                        + ". Name a port.");
        };
    }

    private Optional<String> password() {
        if (passwordFile.isEmpty()) {
            return uri.map(ServerOptions::parsed)
                    .flatMap(RedisUri::password)
                    .or(() -> Optional.ofNullable(System.getenv("REDISCLI_AUTH")));
        }
        try (var lines = Files.lines(passwordFile.get())) {
            return lines.findFirst();
        } catch (IOException | UncheckedIOException e) {
            throw new LabException(
                    "--password-file cannot be read: file=" + passwordFile.get() + ". Name a text file.", e);
        }
    }
}
