// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Options of TLS connections: files in PEM or PKCS12 format, or an {@link SSLContext}. Immutable. The client reads the
 * files again for every connection, so the files can be replaced while the client runs.
 *
 * <p>There is one source of trusted authorities, and one source of the client certificate: a method throws an {@link
 * IllegalArgumentException} if these options already have another kind of source.
 */
public final class TlsOptions {

    /**
     * Trusts the JVM's certificate authorities. Checks that the server's certificate matches the host name. Sends no
     * client certificate.
     */
    public static final TlsOptions DEFAULT = new TlsOptions(new Values());

    private final @Nullable SSLContext context;
    private final @Nullable Supplier<SSLContext> contextSupplier;
    private final @Nullable Path caCertificate;
    private final @Nullable Path trustStore;
    private final char @Nullable [] trustStorePassword;
    private final @Nullable Path certificate;
    private final @Nullable Path privateKey;
    private final @Nullable Path keyStore;
    private final char @Nullable [] keyPassword;
    private final @Nullable String serverName;
    private final boolean verifies;

    /** Values of new options. Confined to the method that creates the options. */
    private static final class Values {
        @Nullable
        SSLContext context;

        @Nullable
        Supplier<SSLContext> contextSupplier;

        @Nullable
        Path caCertificate;

        @Nullable
        Path trustStore;

        char @Nullable [] trustStorePassword;

        @Nullable
        Path certificate;

        @Nullable
        Path privateKey;

        @Nullable
        Path keyStore;

        char @Nullable [] keyPassword;

        @Nullable
        String serverName;

        boolean verifies = true;
    }

    private TlsOptions(Values values) {
        this.context = values.context;
        this.contextSupplier = values.contextSupplier;
        this.caCertificate = values.caCertificate;
        this.trustStore = values.trustStore;
        this.trustStorePassword = values.trustStorePassword;
        this.certificate = values.certificate;
        this.privateKey = values.privateKey;
        this.keyStore = values.keyStore;
        this.keyPassword = values.keyPassword;
        this.serverName = values.serverName;
        this.verifies = values.verifies;
        if (caCertificate != null && trustStore != null) {
            throw new IllegalArgumentException(
                    "there are a PEM file and a trust store of trusted authorities. Give one of them");
        }
        if (certificate != null && keyStore != null) {
            throw new IllegalArgumentException(
                    "there are a PEM file and a key store of the client certificate. Give one of them");
        }
        boolean files = caCertificate != null || trustStore != null || certificate != null || keyStore != null;
        if ((context != null || contextSupplier != null) && (files || !verifies)) {
            throw new IllegalArgumentException(
                    "the SSLContext contains keys and trusted authorities. Give no files and do not call insecure()");
        }
        if (context != null && contextSupplier != null) {
            throw new IllegalArgumentException(
                    "there are an SSLContext and a supplier of SSLContexts. Give one of them");
        }
    }

    /**
     * Returns options that ask {@code contexts} for the {@link SSLContext} of each new connection, so that keys and
     * trusted authorities can change while the client runs. Open connections keep their context. The client still checks
     * that the server's certificate matches the host name.
     *
     * @param contexts called by the thread that connects, within the connect timeout, and by several threads at the same
     *     time; if it throws an exception or returns null, the connection attempt fails
     */
    public static TlsOptions using(Supplier<SSLContext> contexts) {
        Objects.requireNonNull(contexts, "contexts");
        return DEFAULT.with(values -> values.contextSupplier = contexts);
    }

    private TlsOptions with(Consumer<Values> change) {
        Values values = new Values();
        values.context = context;
        values.contextSupplier = contextSupplier;
        values.caCertificate = caCertificate;
        values.trustStore = trustStore;
        values.trustStorePassword = trustStorePassword;
        values.certificate = certificate;
        values.privateKey = privateKey;
        values.keyStore = keyStore;
        values.keyPassword = keyPassword;
        values.serverName = serverName;
        values.verifies = verifies;
        change.accept(values);
        return new TlsOptions(values);
    }

    /**
     * Returns a copy that creates all TLS sockets from {@code newContext}, which has the keys and the trusted
     * authorities. The client still checks that the server's certificate matches the host name.
     *
     * @throws IllegalArgumentException if these options have files, or are {@linkplain #insecure insecure}
     */
    public TlsOptions withContext(SSLContext newContext) {
        Objects.requireNonNull(newContext, "newContext");
        return with(values -> values.context = newContext);
    }

    /**
     * Returns a copy that trusts only the certificate authorities in the PEM file {@code newCaCertificate}, instead of
     * the JVM's certificate authorities.
     */
    public TlsOptions trusting(Path newCaCertificate) {
        Objects.requireNonNull(newCaCertificate, "newCaCertificate");
        return with(values -> values.caCertificate = newCaCertificate);
    }

    /**
     * Returns a copy that trusts only the certificate authorities in a PKCS12 file, instead of the JVM's certificate
     * authorities. The file must contain trusted certificates, as {@code keytool -importcert} writes them.
     *
     * @param newTrustStore PKCS12 file
     * @param password password of the file; this method copies the array
     */
    public TlsOptions withTrustStore(Path newTrustStore, char[] password) {
        Objects.requireNonNull(newTrustStore, "newTrustStore");
        char[] copy = Objects.requireNonNull(password, "password").clone();
        return with(values -> {
            values.trustStore = newTrustStore;
            values.trustStorePassword = copy;
        });
    }

    /**
     * Returns a copy with a client certificate, for servers that require a client certificate.
     *
     * @param newCertificate PEM file of the certificate and its chain
     * @param newPrivateKey PEM file of the private key: PKCS#8, not encrypted
     */
    public TlsOptions withCertificate(Path newCertificate, Path newPrivateKey) {
        return withPem(newCertificate, newPrivateKey, null);
    }

    /**
     * Returns a copy with a client certificate whose private key may be encrypted.
     *
     * @param newCertificate PEM file of the certificate and its chain
     * @param newPrivateKey PEM file of the private key: PKCS#8, encrypted with PBES2 or not encrypted
     * @param password password of the private key; this method copies the array. Not used if the key is not encrypted
     */
    public TlsOptions withCertificate(Path newCertificate, Path newPrivateKey, char[] password) {
        return withPem(
                newCertificate,
                newPrivateKey,
                Objects.requireNonNull(password, "password").clone());
    }

    private TlsOptions withPem(Path newCertificate, Path newPrivateKey, char @Nullable [] password) {
        Objects.requireNonNull(newCertificate, "newCertificate");
        Objects.requireNonNull(newPrivateKey, "newPrivateKey");
        return with(values -> {
            values.certificate = newCertificate;
            values.privateKey = newPrivateKey;
            values.keyPassword = password;
        });
    }

    /**
     * Returns a copy with a client certificate in a PKCS12 file, for servers that require a client certificate.
     *
     * @param newKeyStore PKCS12 file of the private key, the certificate and its chain
     * @param password password of the file and of the private key; this method copies the array
     */
    public TlsOptions withKeyStore(Path newKeyStore, char[] password) {
        Objects.requireNonNull(newKeyStore, "newKeyStore");
        char[] copy = Objects.requireNonNull(password, "password").clone();
        return with(values -> {
            values.keyStore = newKeyStore;
            values.keyPassword = copy;
        });
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
        return with(values -> values.serverName = newServerName);
    }

    /**
     * Returns a copy that accepts any certificate for any host. An attacker on the network can then read all traffic.
     * Use this copy only in tests.
     */
    public TlsOptions insecure() {
        return with(values -> values.verifies = false);
    }

    /** Context of all TLS sockets; empty means a supplier, a context from the files, or the JVM's authorities. */
    public Optional<SSLContext> context() {
        return Optional.ofNullable(context);
    }

    /** Supplier of the context of each connection; see {@link #using}. */
    public Optional<Supplier<SSLContext>> contextSupplier() {
        return Optional.ofNullable(contextSupplier);
    }

    /** PEM file of the trusted certificate authorities; empty means the trust store, or the JVM's authorities. */
    public Optional<Path> caCertificate() {
        return Optional.ofNullable(caCertificate);
    }

    /** PKCS12 file of the trusted certificate authorities. */
    public Optional<Path> trustStore() {
        return Optional.ofNullable(trustStore);
    }

    /** Copy of the password of {@link #trustStore}. */
    public Optional<char[]> trustStorePassword() {
        return Optional.ofNullable(trustStorePassword).map(char[]::clone);
    }

    /** PEM file of the client certificate and its chain; set together with {@link #privateKey}. */
    public Optional<Path> certificate() {
        return Optional.ofNullable(certificate);
    }

    /** PEM file of the client's private key. */
    public Optional<Path> privateKey() {
        return Optional.ofNullable(privateKey);
    }

    /** PKCS12 file of the client's private key and certificate. */
    public Optional<Path> keyStore() {
        return Optional.ofNullable(keyStore);
    }

    /** Copy of the password of {@link #privateKey} or {@link #keyStore}. */
    public Optional<char[]> keyPassword() {
        return Optional.ofNullable(keyPassword).map(char[]::clone);
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
                && Objects.equals(context, that.context)
                && Objects.equals(contextSupplier, that.contextSupplier)
                && Objects.equals(caCertificate, that.caCertificate)
                && Objects.equals(trustStore, that.trustStore)
                && Arrays.equals(trustStorePassword, that.trustStorePassword)
                && Objects.equals(certificate, that.certificate)
                && Objects.equals(privateKey, that.privateKey)
                && Objects.equals(keyStore, that.keyStore)
                && Arrays.equals(keyPassword, that.keyPassword)
                && Objects.equals(serverName, that.serverName)
                && verifies == that.verifies;
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                context,
                contextSupplier,
                caCertificate,
                trustStore,
                certificate,
                privateKey,
                keyStore,
                serverName,
                verifies);
    }

    /** Shows file names, never file contents or passwords. */
    @Override
    public String toString() {
        return "TlsOptions[context=" + (context == null ? contextSupplier == null ? "none" : "supplied" : "given")
                + ", caCertificate=" + shown(caCertificate)
                + ", trustStore=" + shown(trustStore) + ", certificate=" + shown(certificate) + ", privateKey="
                + shown(privateKey) + ", keyStore=" + shown(keyStore) + ", serverName=" + shown(serverName)
                + ", verifies=" + verifies + "]";
    }

    private static Object shown(@Nullable Object value) {
        return value == null ? "none" : value;
    }
}
