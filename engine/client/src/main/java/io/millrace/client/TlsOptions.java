// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Options of TLS connections. Immutable. The client reads the certificate and key files again for every connection, so
 * the files can be replaced while the client runs.
 */
public final class TlsOptions {

    /**
     * Trusts the JVM's certificate authorities. Checks that the server's certificate matches the host name. Sends no
     * client certificate.
     */
    public static final TlsOptions DEFAULT = new TlsOptions(null, null, null, null, true);

    private final @Nullable Path caCertificate;
    private final @Nullable Path certificate;
    private final @Nullable Path privateKey;
    private final @Nullable String serverName;
    private final boolean verifies;

    private TlsOptions(
            @Nullable Path caCertificate,
            @Nullable Path certificate,
            @Nullable Path privateKey,
            @Nullable String serverName,
            boolean verifies) {
        this.caCertificate = caCertificate;
        this.certificate = certificate;
        this.privateKey = privateKey;
        this.serverName = serverName;
        this.verifies = verifies;
    }

    /**
     * Returns a copy that trusts only the certificate authorities in the PEM file {@code newCaCertificate}, instead of
     * the JVM's certificate authorities.
     */
    public TlsOptions trusting(Path newCaCertificate) {
        Objects.requireNonNull(newCaCertificate, "newCaCertificate");
        return new TlsOptions(newCaCertificate, certificate, privateKey, serverName, verifies);
    }

    /**
     * Returns a copy with a client certificate, for servers that require a client certificate.
     *
     * @param newCertificate PEM file of the certificate and its chain
     * @param newPrivateKey PEM file of the private key: PKCS#8, not encrypted
     */
    public TlsOptions withCertificate(Path newCertificate, Path newPrivateKey) {
        Objects.requireNonNull(newCertificate, "newCertificate");
        Objects.requireNonNull(newPrivateKey, "newPrivateKey");
        return new TlsOptions(caCertificate, newCertificate, newPrivateKey, serverName, verifies);
    }

    /**
     * Returns a copy that uses {@code newServerName} instead of the host name, for SNI and for the verification of the
     * certificate.
     *
     * @throws IllegalArgumentException if the name is blank
     */
    public TlsOptions withServerName(String newServerName) {
        if (Objects.requireNonNull(newServerName, "newServerName").isBlank()) {
            throw new IllegalArgumentException("serverName must not be blank. Omit serverName to use the host name");
        }
        return new TlsOptions(caCertificate, certificate, privateKey, newServerName, verifies);
    }

    /**
     * Returns a copy that accepts any certificate for any host. An attacker on the network can then read all traffic.
     * Use this copy only in tests.
     */
    public TlsOptions insecure() {
        return new TlsOptions(caCertificate, certificate, privateKey, serverName, false);
    }

    /** PEM file of the trusted certificate authorities; empty means the JVM's authorities. */
    public Optional<Path> caCertificate() {
        return Optional.ofNullable(caCertificate);
    }

    /** PEM file of the client certificate and its chain; set together with {@link #privateKey}. */
    public Optional<Path> certificate() {
        return Optional.ofNullable(certificate);
    }

    /** PEM file of the client's private key. */
    public Optional<Path> privateKey() {
        return Optional.ofNullable(privateKey);
    }

    /** Server name for SNI and for the verification of the certificate; empty means the host name. */
    public Optional<String> serverName() {
        return Optional.ofNullable(serverName);
    }

    /** Whether the server's certificate and name are verified. True unless {@link #insecure} was called. */
    public boolean verifies() {
        return verifies;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TlsOptions that
                && Objects.equals(caCertificate, that.caCertificate)
                && Objects.equals(certificate, that.certificate)
                && Objects.equals(privateKey, that.privateKey)
                && Objects.equals(serverName, that.serverName)
                && verifies == that.verifies;
    }

    @Override
    public int hashCode() {
        return Objects.hash(caCertificate, certificate, privateKey, serverName, verifies);
    }

    /** Shows file names, never file contents. */
    @Override
    public String toString() {
        return "TlsOptions[caCertificate=" + shown(caCertificate) + ", certificate=" + shown(certificate)
                + ", privateKey=" + shown(privateKey) + ", serverName=" + shown(serverName) + ", verifies=" + verifies
                + "]";
    }

    private static Object shown(@Nullable Object value) {
        return value == null ? "none" : value;
    }
}
