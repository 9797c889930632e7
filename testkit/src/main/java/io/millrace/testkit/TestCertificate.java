// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/**
 * A certificate that vouches for itself, and its key, as PEM files that a server reads.
 *
 * <p>Made by the JDK's own {@code keytool}, so that tests need no OpenSSL.
 *
 * @param certificate the certificate, which is also the authority that clients must trust
 * @param key its private key, in PKCS #8, not encrypted
 */
public record TestCertificate(Path certificate, Path key) {

    private static final String ALIAS = "test";
    private static final String STORE_PASSWORD = "only-for-the-moment";

    /**
     * Makes a certificate in {@code directory}. Takes about a second.
     *
     * @param names what it is valid for, in keytool's words, such as {@code "dns:localhost,ip:127.0.0.1"}
     * @param validDays how long from {@code start} it is valid
     * @param start when it begins to be valid, in keytool's words: {@code "-0d"} for now, {@code "-30d"} for a month ago
     */
    public static TestCertificate create(Path directory, String names, int validDays, String start) {
        Path store = directory.resolve("store.p12");
        try {
            keytool(store, names, validDays, start);
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                keys.load(in, STORE_PASSWORD.toCharArray());
            }
            return new TestCertificate(
                    pem(
                            directory.resolve("certificate.pem"),
                            "CERTIFICATE",
                            keys.getCertificate(ALIAS).getEncoded()),
                    pem(
                            directory.resolve("key.pem"),
                            "PRIVATE KEY",
                            keys.getKey(ALIAS, STORE_PASSWORD.toCharArray()).getEncoded()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("keytool made a store that Java does not read: " + store, e);
        }
    }

    private static void keytool(Path store, String names, int validDays, String start) throws IOException {
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        List<String> command = List.of(
                keytool,
                "-genkeypair",
                "-alias",
                ALIAS,
                "-keyalg",
                "EC",
                "-dname",
                "CN=test",
                "-ext",
                "san=" + names,
                "-ext",
                "bc:c",
                "-startdate",
                start,
                "-validity",
                Integer.toString(validDays),
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                STORE_PASSWORD);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String words = new String(process.getInputStream().readAllBytes(), US_ASCII);
        try {
            if (process.waitFor() != 0) {
                throw new IllegalStateException("keytool failed: " + words.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for keytool", e);
        }
    }

    private static Path pem(Path file, String type, byte[] bytes) throws IOException {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return Files.writeString(file, "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n");
    }
}
