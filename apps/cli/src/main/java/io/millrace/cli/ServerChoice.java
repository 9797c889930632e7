// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.AddressMap;
import io.millrace.client.ClientOptions;
import io.millrace.client.Credentials;
import io.millrace.client.RedisUri;
import io.millrace.client.TlsOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Validated connection options.
 *
 * @param addresses replaces addresses that a cluster or Sentinels announce
 * @param tls used only if {@code uri} asks for TLS
 * @param warnings messages about unsafe options
 */
record ServerChoice(RedisUri uri, AddressMap addresses, TlsOptions tls, List<String> warnings) {

    private static final String LOOPBACK = "127.0.0.1";

    /**
     * Validates {@code typed}, and adds values from the environment.
     *
     * @throws UsageException if options contradict each other or a file cannot be read
     */
    static ServerChoice of(ConnectionArguments typed, StandardStreams standardStreams, SecretMasker secretMasker) {
        checkContradictions(typed);
        List<String> warnings = new ArrayList<>();
        Optional<RedisUri> given = typed.uri.value().map(text -> parse("--uri", text, secretMasker));
        if (given.isPresent() && given.get().password().isPresent()) {
            warnings.add(
                    "other users of this machine can see a password in --uri; REDIS_URL or --password-file hides it.");
        }
        if (typed.password.isTyped()) {
            warnings.add("other users of this machine can see a password after -a; REDISCLI_AUTH or --password-file "
                    + "hides it.");
        }
        RedisUri base = given.or(() -> named(typed))
                .or(() -> fromEnvironment(standardStreams, secretMasker))
                .orElseGet(() -> RedisUri.of(LOOPBACK, RedisUri.PORT.defaultValue()));
        RedisUri uri = complete(
                typed.cluster.isTyped() ? clusterOf(base) : base,
                given.isPresent(),
                typed,
                new PasswordReader(standardStreams, secretMasker));
        TlsOptions tls = tls(typed, uri);
        if (!tls.verifies()) {
            warnings.add("--insecure: the server's certificate is not verified, so the connection can be intercepted.");
        }
        return new ServerChoice(uri, addresses(typed, uri), tls, warnings);
    }

    /** Options of a client of the server. */
    ClientOptions.Builder client() {
        return ClientOptions.builder(uri).addressMap(addresses).tls(tls);
    }

    private static AddressMap addresses(ConnectionArguments typed, RedisUri uri) {
        boolean asksForAddresses =
                uri.endpoint() instanceof RedisUri.Cluster || uri.endpoint() instanceof RedisUri.Sentinels;
        if (typed.map.isTyped() && !asksForAddresses) {
            throw new UsageException("--map has a meaning only with a cluster (-c) or with Sentinels. Remove --map.");
        }
        try {
            return AddressMap.of(typed.map.value().orElse(List.of()));
        } catch (IllegalArgumentException wrong) {
            throw new UsageException("--map: " + wrong.getMessage() + ".", wrong);
        }
    }

    /** The cluster of a node. */
    private static RedisUri clusterOf(RedisUri node) {
        return switch (node.endpoint()) {
            case RedisUri.Tcp tcp when node.database() == 0 -> node.withEndpoint(new RedisUri.Cluster(List.of(tcp)));
            case RedisUri.Tcp ignored ->
                throw new UsageException("a cluster has only database 0: database=" + node.database() + ".");
            case RedisUri.Cluster ignored -> node;
            case RedisUri.Sentinels ignored ->
                throw new UsageException("-c names a cluster, and Sentinels do not watch clusters. Name a node.");
            case RedisUri.Unix ignored ->
                throw new UsageException("-c has no meaning for a Unix socket: name host and port of a node.");
        };
    }

    private static void checkContradictions(ConnectionArguments typed) {
        if (typed.uri.isTyped() && (typed.host.isTyped() || typed.port.isTyped())) {
            throw new UsageException("--uri names the server, and so does -h or -p. Remove one of them.");
        }
        if (typed.socket.isTyped() && (typed.uri.isTyped() || typed.host.isTyped() || typed.port.isTyped())) {
            throw new UsageException("-s names the server, and so does -u, -h or -p. Remove one of them.");
        }
        if (typed.host.isTyped() && typed.host.value().get().isBlank()) {
            throw new UsageException("-h is empty: name the host. (Help is --help.)");
        }
        if (typed.socket.value().filter(path -> path.toString().isBlank()).isPresent()) {
            throw new UsageException("-s is empty: name the socket.");
        }
    }

    /** The server that the options name; empty if the user typed none of them. */
    private static Optional<RedisUri> named(ConnectionArguments typed) {
        if (typed.socket.isTyped()) {
            return typed.socket.value().map(path -> RedisUri.unix(path.toAbsolutePath()));
        }
        return typed.host.isTyped() || typed.port.isTyped()
                ? Optional.of(RedisUri.of(
                        typed.host.value().orElse(LOOPBACK), typed.port.value().orElse(RedisUri.PORT.defaultValue())))
                : Optional.empty();
    }

    private static Optional<RedisUri> fromEnvironment(StandardStreams standardStreams, SecretMasker secretMasker) {
        return standardStreams.env("REDIS_URL").map(text -> parse("REDIS_URL", text, secretMasker));
    }

    private static RedisUri parse(String where, String text, SecretMasker secretMasker) {
        secretMasker.addFrom(text);
        try {
            return RedisUri.parse(text);
        } catch (IllegalArgumentException wrong) {
            throw new UsageException(where + ": " + wrong.getMessage(), wrong);
        }
    }

    /**
     * Adds the user, the password, the database and TLS from the options to {@code base}. Refuses options that
     * contradict the URI that the user typed.
     */
    private static RedisUri complete(
            RedisUri base, boolean typedUri, ConnectionArguments typed, PasswordReader passwordReader) {
        boolean typedPassword = typed.password.isTyped()
                || typed.passwordFile.isTyped()
                || typed.passwordStdin.isTyped()
                || typed.askPassword.isTyped();
        refuseTwice(typedUri && base.password().isPresent() && typedPassword, "a password");
        refuseTwice(typedUri && base.user().isPresent() && typed.user.isTyped(), "a user");
        refuseTwice(typedUri && base.database() != 0 && typed.database.isTyped(), "a database");
        Optional<String> password =
                typedPassword || base.password().isEmpty() ? passwordReader.redis(typed) : base.password();
        Optional<String> user = typed.user.value().or(base::user);
        if (user.isPresent() && password.isEmpty()) {
            password = passwordReader.asked("Password of user " + user.get() + ": ");
        }
        if (user.isPresent() && password.isEmpty()) {
            throw new UsageException("user " + user.get() + " has no password: give REDISCLI_AUTH, --password-file, "
                    + "--password-stdin, --askpass or -a.");
        }
        if (typed.tls.isTyped() && base.endpoint() instanceof RedisUri.Unix) {
            throw new UsageException("--tls has no meaning for a Unix socket.");
        }
        if (base.endpoint() instanceof RedisUri.Cluster
                && typed.database.value().orElse(0) != 0) {
            throw new UsageException("a cluster has only database 0: remove -n.");
        }
        RedisUri server = base.withLogin(user.orElse(""), password.orElse(""))
                .withDatabase(typed.database.value().orElse(base.database()));
        return withSentinelLogin(typed.tls.isTyped() ? server.withTls() : server, typed, passwordReader);
    }

    private static RedisUri withSentinelLogin(RedisUri uri, ConnectionArguments typed, PasswordReader passwordReader) {
        boolean hasLogin = typed.sentinelUser.isTyped() || typed.sentinelPasswordFile.isTyped();
        if (!(uri.endpoint() instanceof RedisUri.Sentinels)) {
            if (hasLogin) {
                throw new UsageException("--sentinel-user and --sentinel-password-file have a meaning only with a "
                        + "redis-sentinel:// URI.");
            }
            return uri;
        }
        Optional<String> password = passwordReader.sentinel(typed.sentinelPasswordFile.value());
        if (password.isEmpty() && typed.sentinelUser.isTyped()) {
            throw new UsageException("--sentinel-user has no password: give --sentinel-password-file or "
                    + "MILLRACE_SENTINEL_PASSWORD.");
        }
        return password.map(secret -> uri.withSentinelLogin(
                        Credentials.of(typed.sentinelUser.value().orElse(""), secret)))
                .orElse(uri);
    }

    private static void refuseTwice(boolean twice, String what) {
        if (twice) {
            throw new UsageException("--uri has " + what + ", and another option also sets " + what + ". Choose one.");
        }
    }

    private static TlsOptions tls(ConnectionArguments typed, RedisUri uri) {
        boolean mentioned = typed.caCertificate.isTyped()
                || typed.certificate.isTyped()
                || typed.privateKey.isTyped()
                || typed.serverName.isTyped()
                || typed.insecure.isTyped();
        if (mentioned && !uri.tls()) {
            throw new UsageException(
                    "--cacert, --cert, --tls-key, --sni and --insecure have a meaning only with --tls or "
                            + "a rediss:// URI.");
        }
        if (typed.certificate.isTyped() != typed.privateKey.isTyped()) {
            throw new UsageException("--cert and --tls-key belong together: give both.");
        }
        if (typed.insecure.isTyped() && typed.caCertificate.isTyped()) {
            throw new UsageException(
                    "--insecure trusts every server, and --cacert trusts only some servers. Choose one.");
        }
        if (typed.serverName.value().filter(String::isBlank).isPresent()) {
            throw new UsageException("--sni is empty: name the server.");
        }
        checkReadable("--cacert", typed.caCertificate.value());
        checkReadable("--cert", typed.certificate.value());
        checkReadable("--tls-key", typed.privateKey.value());
        TlsOptions tls = typed.insecure.isTyped() ? TlsOptions.DEFAULT.insecure() : TlsOptions.DEFAULT;
        if (typed.caCertificate.isTyped()) {
            tls = tls.trusting(typed.caCertificate.value().get());
        }
        if (typed.certificate.isTyped() && typed.privateKey.isTyped()) {
            tls = tls.withCertificate(
                    typed.certificate.value().get(), typed.privateKey.value().get());
        }
        return typed.serverName.isTyped()
                ? tls.withServerName(typed.serverName.value().get())
                : tls;
    }

    private static void checkReadable(String option, Optional<Path> file) {
        if (file.isPresent() && !Files.isReadable(file.get())) {
            throw new UsageException(
                    option + " " + file.get() + " cannot be read. Check the path and its permissions.");
        }
    }
}
