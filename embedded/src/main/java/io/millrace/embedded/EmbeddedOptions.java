// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How a private server is started.
 *
 * @param binary which server binary
 * @param config further lines of {@code redis.conf}, which override Millrace's own
 * @param password what clients must authenticate with as the default user, or nothing
 * @param maxMemoryBytes the server's {@code maxmemory}, with the policy {@code noeviction}; without it, no limit
 * @param tls certificates for a second, encrypted port, or nothing
 * @param unixSocket whether it also listens on a socket in its directory
 * @param startTimeout how long it may take to answer its first command; more than zero
 */
public record EmbeddedOptions(
        ServerBinary binary,
        List<String> config,
        Optional<String> password,
        OptionalLong maxMemoryBytes,
        Optional<Tls> tls,
        boolean unixSocket,
        Duration startTimeout) {

    /** The server starts in 20 ms; the rest is for a machine that is busy with something else. */
    public static final Duration DEFAULT_START_TIMEOUT = Duration.ofSeconds(10);

    private static final EmbeddedOptions DEFAULTS = new EmbeddedOptions(
            ServerBinary.any(),
            List.of(),
            Optional.empty(),
            OptionalLong.empty(),
            Optional.empty(),
            false,
            DEFAULT_START_TIMEOUT);

    /**
     * PEM files for the encrypted port.
     *
     * @param certificate the server's certificate
     * @param key its private key, not encrypted
     * @param authority what client certificates are checked against
     * @param clientsNeedCertificates whether a client without a certificate is refused
     */
    public record Tls(Path certificate, Path key, Path authority, boolean clientsNeedCertificates) {}

    public EmbeddedOptions {
        config = List.copyOf(config);
        for (String line : config) {
            if (line.contains("\n")) {
                throw new IllegalArgumentException("a line of configuration must not contain a line break");
            }
        }
        if (password.filter(String::isEmpty).isPresent()) {
            throw new IllegalArgumentException("password must not be empty; leave it out for a server without one");
        }
        if (maxMemoryBytes.isPresent() && maxMemoryBytes.getAsLong() < 1) {
            throw new IllegalArgumentException(
                    "maxMemoryBytes must be 1 or more: maxMemoryBytes=" + maxMemoryBytes.getAsLong());
        }
        if (!startTimeout.isPositive()) {
            throw new IllegalArgumentException("startTimeout must be more than zero: startTimeout=" + startTimeout);
        }
    }

    /** Any binary, no password, no limit, plain TCP. */
    public static EmbeddedOptions defaults() {
        return DEFAULTS;
    }

    public EmbeddedOptions withBinary(ServerBinary newBinary) {
        return new EmbeddedOptions(newBinary, config, password, maxMemoryBytes, tls, unixSocket, startTimeout);
    }

    /** With exactly these further lines of {@code redis.conf}, such as {@code "hash-max-listpack-entries 1000"}. */
    public EmbeddedOptions withConfig(String... lines) {
        return new EmbeddedOptions(binary, List.of(lines), password, maxMemoryBytes, tls, unixSocket, startTimeout);
    }

    public EmbeddedOptions withPassword(String newPassword) {
        return new EmbeddedOptions(
                binary, config, Optional.of(newPassword), maxMemoryBytes, tls, unixSocket, startTimeout);
    }

    public EmbeddedOptions withMaxMemoryBytes(long bytes) {
        return new EmbeddedOptions(binary, config, password, OptionalLong.of(bytes), tls, unixSocket, startTimeout);
    }

    public EmbeddedOptions withTls(Tls newTls) {
        return new EmbeddedOptions(
                binary, config, password, maxMemoryBytes, Optional.of(newTls), unixSocket, startTimeout);
    }

    public EmbeddedOptions withUnixSocket() {
        return new EmbeddedOptions(binary, config, password, maxMemoryBytes, tls, true, startTimeout);
    }

    public EmbeddedOptions withStartTimeout(Duration timeout) {
        return new EmbeddedOptions(binary, config, password, maxMemoryBytes, tls, unixSocket, timeout);
    }

    /** Everything but the password and the values of further lines, which may be secrets too. */
    @Override
    public String toString() {
        return "EmbeddedOptions[binary=" + binary + ", config="
                + config.stream().map(line -> line.strip().split("\\s", 2)[0]).toList() + ", password="
                + (password.isPresent() ? "***" : "none") + ", maxMemoryBytes=" + maxMemoryBytes + ", tls=" + tls
                + ", unixSocket=" + unixSocket + ", startTimeout=" + startTimeout + "]";
    }
}
