// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Options of a private server.
 *
 * @param binary source of the server binary
 * @param config additional lines of {@code redis.conf}; they override the lines that Millrace writes
 * @param password password of the default user, if any
 * @param maxMemoryBytes {@code maxmemory} of the server, with the policy {@code noeviction}; no limit if empty
 * @param tls certificates of an additional TLS port, if any
 * @param unixSocket whether the server also listens on a Unix socket in its directory
 * @param startTimeout maximum time until the server answers its first command; must be positive
 */
public record EmbeddedOptions(
        ServerBinary binary,
        List<String> config,
        Optional<String> password,
        OptionalLong maxMemoryBytes,
        Optional<Tls> tls,
        boolean unixSocket,
        Duration startTimeout) {

    /** A server usually starts in 20 ms. The default is much longer, because a start on a busy machine takes longer. */
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
     * PEM files of the TLS port.
     *
     * @param certificate the server's certificate
     * @param key the server's private key, not encrypted
     * @param authority CA certificate that verifies client certificates
     * @param requireClientCertificates whether a client without a certificate is rejected
     */
    public record Tls(Path certificate, Path key, Path authority, boolean requireClientCertificates) {}

    public EmbeddedOptions {
        config = List.copyOf(config);
        for (String line : config) {
            if (line.contains("\n")) {
                throw new IllegalArgumentException("a line of configuration must not contain a line break");
            }
        }
        if (password.filter(String::isEmpty).isPresent()) {
            throw new IllegalArgumentException(
                    "password must not be empty; set no password for a server without authentication");
        }
        if (maxMemoryBytes.isPresent() && maxMemoryBytes.getAsLong() < 1) {
            throw new IllegalArgumentException(
                    "maxMemoryBytes must be 1 or more: maxMemoryBytes=" + maxMemoryBytes.getAsLong());
        }
        if (!startTimeout.isPositive()) {
            throw new IllegalArgumentException("startTimeout must be positive: startTimeout=" + startTimeout);
        }
    }

    /** The default options: any binary, no password, no memory limit, TCP without TLS. */
    public static EmbeddedOptions defaults() {
        return DEFAULTS;
    }

    public EmbeddedOptions withBinary(ServerBinary newBinary) {
        return new EmbeddedOptions(newBinary, config, password, maxMemoryBytes, tls, unixSocket, startTimeout);
    }

    /** Replaces the additional lines of {@code redis.conf}, such as {@code "hash-max-listpack-entries 1000"}. */
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

    /**
     * Describes the options without secrets: without the password, and without the values in additional lines, because
     * these values may be secret, too.
     */
    @Override
    public String toString() {
        return "EmbeddedOptions[binary=" + binary + ", config="
                + config.stream().map(line -> line.strip().split("\\s", 2)[0]).toList() + ", password="
                + (password.isPresent() ? "***" : "none") + ", maxMemoryBytes=" + maxMemoryBytes + ", tls=" + tls
                + ", unixSocket=" + unixSocket + ", startTimeout=" + startTimeout + "]";
    }
}
