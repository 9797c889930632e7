// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.client.AddressMap;
import io.millrace.client.ClientOptions;
import io.millrace.client.Credentials;
import io.millrace.client.RedisUri;
import io.millrace.client.TlsOptions;
import io.millrace.client.command.Fusion;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The server of a write. Two writes with equal values can share a client. The driver reads the passwords, so the executors
 * need no password file. The text of this record contains no secrets.
 */
record ServerChoice(WriteOptions given, Login login, Login sentinelLogin) implements Serializable {

    /** The options that make a client. The passwords are in the logins. */
    private static final EnumSet<WriteOption> OPTIONS = EnumSet.range(WriteOption.URI, WriteOption.INSECURE);

    static {
        OPTIONS.removeAll(Set.of(WriteOption.PASSWORD, WriteOption.PASSWORD_FILE, WriteOption.SENTINEL_PASSWORD_FILE));
        OPTIONS.addAll(Set.of(WriteOption.TIMEOUT, WriteOption.NO_FUSION));
    }

    /** The parts of a malformed URI that may be a password. */
    private static final Pattern PASSWORD_IN_URI = Pattern.compile("@|[?&]password=");

    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(10);

    /** A user and a password; empty texts if there are none. */
    record Login(String user, String password) implements Serializable {

        static final Login NONE = new Login("", "");

        @Override
        public String toString() {
            return user.isEmpty() ? "default user" : user;
        }
    }

    /**
     * Reads the options of the server, and the passwords. Called on the driver.
     *
     * @param environment returns a variable of the environment, or null
     * @throws SparkLoadException if options contradict each other, or if a password is in the URI or cannot be read
     */
    static ServerChoice of(WriteOptions given, Function<String, @Nullable String> environment) {
        given.text(WriteOption.URI).ifPresent(ServerChoice::refusePassword);
        RedisUri address = address(given);
        if (given.has(WriteOption.PASSWORD) && given.has(WriteOption.PASSWORD_FILE)) {
            throw new SparkLoadException("options password and passwordFile both give the password. Choose one.");
        }
        Optional<String> password = given.text(WriteOption.PASSWORD)
                .or(() -> given.text(WriteOption.PASSWORD_FILE).map(file -> firstLine(WriteOption.PASSWORD_FILE, file)))
                .or(() -> Optional.ofNullable(environment.apply("REDISCLI_AUTH")));
        Optional<String> user = given.text(WriteOption.USER);
        if (user.isPresent() && password.isEmpty()) {
            throw new SparkLoadException("user " + user.get()
                    + " has no password: give password, passwordFile or the variable REDISCLI_AUTH.");
        }
        ServerChoice choice = new ServerChoice(
                given.only(OPTIONS),
                new Login(user.orElse(""), password.orElse("")),
                sentinelLogin(given, address, environment));
        var unused = choice.clientOptions();
        return choice;
    }

    /** Refuses a password in {@code uri}, also if the URI is malformed. The message contains no part of the URI. */
    private static void refusePassword(String uri) {
        boolean found;
        try {
            found = RedisUri.parse(uri).password().isPresent();
        } catch (IllegalArgumentException malformed) {
            found = PASSWORD_IN_URI.matcher(uri).find();
        }
        if (found) {
            throw new SparkLoadException("option uri contains a password, which Spark would show in its plans and logs."
                    + " A text before @ without a colon is a password, too. Give the password with password, passwordFile"
                    + " or the variable REDISCLI_AUTH.");
        }
    }

    private static Login sentinelLogin(
            WriteOptions given, RedisUri address, Function<String, @Nullable String> environment) {
        if (!(address.endpoint() instanceof RedisUri.Sentinels)) {
            if (given.has(WriteOption.SENTINEL_USER) || given.has(WriteOption.SENTINEL_PASSWORD_FILE)) {
                throw new SparkLoadException(
                        "options sentinelUser and sentinelPasswordFile have a meaning only with a redis-sentinel:// URI.");
            }
            return Login.NONE;
        }
        String password = given.text(WriteOption.SENTINEL_PASSWORD_FILE)
                .map(file -> firstLine(WriteOption.SENTINEL_PASSWORD_FILE, file))
                .or(() -> Optional.ofNullable(environment.apply("MILLRACE_SENTINEL_PASSWORD")))
                .orElse("");
        return new Login(given.text(WriteOption.SENTINEL_USER).orElse(""), password);
    }

    private static String firstLine(WriteOption option, String file) {
        try (Stream<String> lines = Files.lines(Path.of(file))) {
            return lines.findFirst()
                    .filter(line -> !line.isEmpty())
                    .orElseThrow(() -> new SparkLoadException(
                            "option " + option.text() + ": the first line of " + file + " is empty."));
        } catch (IOException | UncheckedIOException unreadable) {
            throw new SparkLoadException(
                    "option " + option.text() + ": " + file + " cannot be read on the driver ("
                            + unreadable.getClass().getSimpleName() + ").",
                    unreadable);
        }
    }

    private static RedisUri address(WriteOptions given) {
        List<WriteOption> names = Stream.of(WriteOption.URI, WriteOption.HOST, WriteOption.SOCKET)
                .filter(given::has)
                .toList();
        if (names.size() > 1 || (given.has(WriteOption.PORT) && !given.has(WriteOption.HOST))) {
            throw new SparkLoadException("name the server by one of uri, socket, or host and port.");
        }
        RedisUri address = given.value(WriteOption.URI, RedisUri::parse)
                .or(() -> given.text(WriteOption.SOCKET).map(path -> RedisUri.unix(Path.of(path))))
                .or(() -> given.text(WriteOption.HOST)
                        .map(host -> RedisUri.of(
                                host,
                                given.setting(WriteOption.PORT, RedisUri.PORT, OptionTexts::integer)
                                        .orElse(RedisUri.PORT.defaultValue()))))
                .orElseThrow(() -> new SparkLoadException(
                        "option uri is missing: the server, such as redis://cache:6379. Executors have no default."));
        RedisUri server = given.value(WriteOption.DATABASE, text -> {
                    int database = OptionTexts.integer(text);
                    RedisUri.DATABASE.check(database);
                    return address.withDatabase(database);
                })
                .orElse(address);
        return given.flag(WriteOption.TLS)
                ? given.value(WriteOption.TLS, text -> server.withTls()).orElse(server)
                : server;
    }

    /** The options of the client. */
    ClientOptions clientOptions() {
        RedisUri uri = address(given).withLogin(login.user(), login.password());
        if (!sentinelLogin.equals(Login.NONE)) {
            uri = uri.withSentinelLogin(Credentials.of(sentinelLogin.user(), sentinelLogin.password()));
        }
        ClientOptions.Builder options = ClientOptions.builder(uri)
                .name("millrace-spark")
                .connections(1)
                .tls(tls(uri))
                .fusion(given.flag(WriteOption.NO_FUSION) ? Fusion.NONE : Fusion.ALL_EXACT);
        given.value(WriteOption.MAP, text -> AddressMap.of(List.of(text.split(",", -1))))
                .ifPresent(options::addressMap);
        given.value(WriteOption.TIMEOUT, OptionTexts::duration)
                .ifPresent(timeout -> options.commandTimeout(timeout)
                        .connectTimeout(timeout.compareTo(LONGEST_CONNECT) < 0 ? timeout : LONGEST_CONNECT));
        return options.build();
    }

    private TlsOptions tls(RedisUri uri) {
        boolean mentioned = Stream.of(
                        WriteOption.CACERT,
                        WriteOption.CERT,
                        WriteOption.TLS_KEY,
                        WriteOption.SNI,
                        WriteOption.INSECURE)
                .anyMatch(given::has);
        if (mentioned && !uri.tls()) {
            throw new SparkLoadException(
                    "options cacert, cert, tlsKey, sni and insecure have a meaning only with tls or a rediss:// URI.");
        }
        if (given.has(WriteOption.CERT) != given.has(WriteOption.TLS_KEY)) {
            throw new SparkLoadException("options cert and tlsKey belong together: give both.");
        }
        TlsOptions tls = given.flag(WriteOption.INSECURE) ? TlsOptions.DEFAULT.insecure() : TlsOptions.DEFAULT;
        tls = given.text(WriteOption.CACERT).map(Path::of).map(tls::trusting).orElse(tls);
        if (given.has(WriteOption.CERT)) {
            tls = tls.withCertificate(
                    Path.of(given.text(WriteOption.CERT).orElseThrow()),
                    Path.of(given.text(WriteOption.TLS_KEY).orElseThrow()));
        }
        return given.text(WriteOption.SNI).map(tls::withServerName).orElse(tls);
    }

    /** The address without secrets. */
    @Override
    public String toString() {
        return address(given).toString();
    }
}
