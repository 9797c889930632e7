// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.TrustManagerFactory;

/** Reads the certificates of {@link Target#certificate} for libraries that do not read PEM files themselves. */
public final class TrustedCertificates {

    /** Password of {@link #store}. The content is not secret. */
    static final String STORE_PASSWORD = "public";

    private static final String TYPE = "PKCS12";

    /** Trust managers that trust only the certificates in {@code file}. */
    public static TrustManagerFactory trustManagers(Path file) throws IOException, GeneralSecurityException {
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(read(file));
        return factory;
    }

    /** A trust store of the type PKCS12 with the certificates in {@code file}. */
    static byte[] store(Path file) throws IOException, GeneralSecurityException {
        var bytes = new ByteArrayOutputStream();
        read(file).store(bytes, STORE_PASSWORD.toCharArray());
        return bytes.toByteArray();
    }

    private static KeyStore read(Path file) throws IOException, GeneralSecurityException {
        var store = KeyStore.getInstance(TYPE);
        store.load(null, null);
        try (var input = Files.newInputStream(file)) {
            for (var certificate : CertificateFactory.getInstance("X.509").generateCertificates(input)) {
                store.setCertificateEntry("authority-" + store.size(), certificate);
            }
        }
        return store;
    }

    private TrustedCertificates() {}
}
