// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.TlsOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** Creates TLS sockets from PEM files, as configured by {@link TlsOptions}. */
final class TlsContext {

    private static final char[] NO_PASSWORD = new char[0];

    private TlsContext() {}

    static SSLSocketFactory socketFactory(TlsOptions options) throws IOException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys(options), trust(options), null);
        return context.getSocketFactory();
    }

    private static KeyManager @Nullable [] keys(TlsOptions options) throws IOException, GeneralSecurityException {
        Optional<Path> certificate = options.certificate();
        Optional<Path> key = options.privateKey();
        if (certificate.isEmpty() || key.isEmpty()) {
            return null;
        }
        Collection<? extends Certificate> chain = certificates(certificate.get());
        KeyStore store = emptyStore();
        store.setKeyEntry("client", privateKey(key.get()), NO_PASSWORD, chain.toArray(Certificate[]::new));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return factory.getKeyManagers();
    }

    private static TrustManager @Nullable [] trust(TlsOptions options) throws IOException, GeneralSecurityException {
        if (!options.verifies()) {
            return new TrustManager[] {new TrustEveryone()};
        }
        if (options.caCertificate().isEmpty()) {
            return null;
        }
        KeyStore store = emptyStore();
        int number = 0;
        for (Certificate authority : certificates(options.caCertificate().get())) {
            store.setCertificateEntry("authority-" + number++, authority);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        return store;
    }

    private static Collection<? extends Certificate> certificates(Path pem)
            throws IOException, GeneralSecurityException {
        try (InputStream in = new ByteArrayInputStream(Files.readAllBytes(pem))) {
            return CertificateFactory.getInstance("X.509").generateCertificates(in);
        }
    }

    private static PrivateKey privateKey(Path pem) throws IOException, GeneralSecurityException {
        String text = Files.readString(pem, StandardCharsets.US_ASCII);
        int begin = text.indexOf("-----BEGIN PRIVATE KEY-----");
        int end = text.indexOf("-----END PRIVATE KEY-----");
        if (begin < 0 || end < begin) {
            throw new InvalidKeySpecException(
                    pem + " holds no PKCS#8 private key. Convert it with: openssl pkcs8 -topk8 -nocrypt");
        }
        String base64 = text.substring(begin + "-----BEGIN PRIVATE KEY-----".length(), end);
        PKCS8EncodedKeySpec encoded =
                new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(base64));
        InvalidKeySpecException unsupported =
                new InvalidKeySpecException(pem + " holds a key that is neither RSA nor EC nor EdDSA");
        for (String algorithm : List.of("RSA", "EC", "EdDSA")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
            } catch (InvalidKeySpecException e) {
                unsupported.addSuppressed(e);
            }
        }
        throw unsupported;
    }

    /**
     * Accepts every certificate, for the option {@code insecure}. Extends {@link X509ExtendedTrustManager}, because the
     * JDK adds a check of the host name to any other trust manager.
     */
    private static final class TrustEveryone extends X509ExtendedTrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
