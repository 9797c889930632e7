// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.TlsOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.UnrecoverableKeyException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** Creates TLS sockets, as configured by {@link TlsOptions}. */
final class TlsContext {

    private static final char[] NO_PASSWORD = new char[0];

    private TlsContext() {}

    static SSLSocketFactory socketFactory(TlsOptions options) throws IOException, GeneralSecurityException {
        if (options.context().isPresent()) {
            return options.context().get().getSocketFactory();
        }
        if (options.contextSupplier().isPresent()) {
            return supplied(options.contextSupplier().get()).getSocketFactory();
        }
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys(options), trust(options), null);
        return context.getSocketFactory();
    }

    private static SSLContext supplied(Supplier<SSLContext> contexts) throws GeneralSecurityException {
        Optional<SSLContext> context;
        try {
            context = Optional.ofNullable(contexts.get());
        } catch (RuntimeException e) {
            throw new GeneralSecurityException("the supplier of the SSLContext failed: " + e, e);
        }
        return context.orElseThrow(() -> new GeneralSecurityException("the supplier of the SSLContext returned null"));
    }

    private static KeyManager @Nullable [] keys(TlsOptions options) throws IOException, GeneralSecurityException {
        char[] password = options.keyPassword().orElse(NO_PASSWORD);
        KeyStore store;
        try {
            if (options.keyStore().isPresent()) {
                store = keyStore(options.keyStore().get(), password);
            } else if (options.certificate().isPresent() && options.privateKey().isPresent()) {
                Certificate[] chain = certificates(options.certificate().get()).toArray(Certificate[]::new);
                store = emptyStore();
                store.setKeyEntry("client", PemKey.read(options.privateKey().get(), password), password, chain);
            } else {
                return null;
            }
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, password);
            return factory.getKeyManagers();
        } finally {
            Arrays.fill(password, ' ');
        }
    }

    private static TrustManager @Nullable [] trust(TlsOptions options) throws IOException, GeneralSecurityException {
        if (!options.verifies()) {
            return new TrustManager[] {new TrustEveryone()};
        }
        KeyStore store;
        if (options.trustStore().isPresent()) {
            store = trustStore(
                    options.trustStore().get(), options.trustStorePassword().orElse(NO_PASSWORD));
        } else if (options.caCertificate().isPresent()) {
            store = emptyStore();
            int number = 0;
            for (Certificate authority : certificates(options.caCertificate().get())) {
                store.setCertificateEntry("authority-" + number++, authority);
            }
        } else {
            return null;
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static KeyStore keyStore(Path file, char[] password) throws IOException, GeneralSecurityException {
        KeyStore store = pkcs12(file, password);
        for (String alias : Collections.list(store.aliases())) {
            if (store.isKeyEntry(alias)) {
                return store;
            }
        }
        throw new KeyStoreException(file + " holds no private key with a certificate");
    }

    private static KeyStore trustStore(Path file, char[] password) throws IOException, GeneralSecurityException {
        KeyStore store = pkcs12(file, password);
        for (String alias : Collections.list(store.aliases())) {
            if (store.isCertificateEntry(alias)) {
                return store;
            }
        }
        throw new KeyStoreException(
                file + " holds no trusted certificate. Add the certificates with: keytool -importcert");
    }

    private static KeyStore pkcs12(Path file, char[] password) throws IOException, GeneralSecurityException {
        byte[] content = Files.readAllBytes(file);
        KeyStore store = KeyStore.getInstance("PKCS12");
        try {
            store.load(new ByteArrayInputStream(content), password);
        } catch (IOException e) {
            boolean wrongPassword = e.getCause() instanceof UnrecoverableKeyException;
            throw new KeyStoreException(
                    wrongPassword ? "the password of " + file + " is wrong" : file + " is not a PKCS12 file", e);
        }
        return store;
    }

    private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        return store;
    }

    private static Collection<? extends Certificate> certificates(Path pem)
            throws IOException, GeneralSecurityException {
        try (InputStream in = new ByteArrayInputStream(Files.readAllBytes(pem))) {
            Collection<? extends Certificate> found =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (found.isEmpty()) {
                throw new CertificateException(pem + " holds no certificate");
            }
            return found;
        }
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
