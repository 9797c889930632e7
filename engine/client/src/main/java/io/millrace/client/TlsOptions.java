// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How a TLS connection is secured. Immutable. The files are read anew for every connection, so they may be renewed. */
public final class TlsOptions {

    /** Verified against the JVM's authorities and the host's name, without a client certificate. */
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

    /** With the authorities in the PEM file {@code newCaCertificate} as the only ones to trust, instead of the JVM's. */
    public TlsOptions trusting(Path newCaCertificate) {
        Objects.requireNonNull(newCaCertificate, "newCaCertificate");
        return new TlsOptions(newCaCertificate, certificate, privateKey, serverName, verifies);
    }

    /**
     * With a certificate of the client, for a server that asks for one.
     *
     * @param newCertificate PEM file of the certificate and its chain
     * @param newPrivateKey PEM file of its key: PKCS#8, not encrypted
     */
    public TlsOptions withCertificate(Path newCertificate, Path newPrivateKey) {
        Objects.requireNonNull(newCertificate, "newCertificate");
        Objects.requireNonNull(newPrivateKey, "newPrivateKey");
        return new TlsOptions(caCertificate, newCertificate, newPrivateKey, serverName, verifies);
    }

    /**
     * With another name than the host's to ask for and to verify.
     *
     * @throws IllegalArgumentException if it is blank
     */
    public TlsOptions withServerName(String newServerName) {
        if (Objects.requireNonNull(newServerName, "newServerName").isBlank()) {
            throw new IllegalArgumentException("the server's name is empty; leave it out to take the host's");
        }
        return new TlsOptions(caCertificate, certificate, privateKey, newServerName, verifies);
    }

    /** Accepting any certificate for any host, so that anybody in between can read along: for tests only. */
    public TlsOptions insecure() {
        return new TlsOptions(caCertificate, certificate, privateKey, serverName, false);
    }

    /** PEM file of the authorities to trust; empty means those of the JVM. */
    public Optional<Path> caCertificate() {
        return Optional.ofNullable(caCertificate);
    }

    /** PEM file of the client's certificate and its chain; there with {@link #privateKey} or not at all. */
    public Optional<Path> certificate() {
        return Optional.ofNullable(certificate);
    }

    /** PEM file of the client's key. */
    public Optional<Path> privateKey() {
        return Optional.ofNullable(privateKey);
    }

    /** Name to ask for and to verify; empty means the host's. */
    public Optional<String> serverName() {
        return Optional.ofNullable(serverName);
    }

    /** Whether the server's certificate and name are verified: always, but for {@link #insecure}. */
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

    /** Names of files, never what is in them. */
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
