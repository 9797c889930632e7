// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Creates a certificate authority and certificates that the authority signs. Servers and clients can read them as PEM
 * files. The keytool of the JDK does the work, so tests do not need OpenSSL. Each call of keytool takes about half a
 * second.
 */
public final class TestCertificates {

    private static final String PASSWORD = "changeit";

    private final Path folder;

    private final Path authority;
    private final Path key;

    /** Creates the certificate authority and the private key in {@code folder}. The folder must be empty. */
    public TestCertificates(Path folder) {
        this.folder = folder;
        keytool("-genkeypair", "-alias", "authority", "-keyalg", "EC", "-dname", "CN=authority", "-ext", "bc:c");
        keytool("-genkeypair", "-alias", "self", "-keyalg", "EC", "-dname", "CN=self");
        keytool("-certreq", "-alias", "self", "-file", folder.resolve("request").toString());
        try (InputStream in = Files.newInputStream(folder.resolve("store"))) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD.toCharArray());
            this.authority = pem(
                    "authority", "CERTIFICATE", keys.getCertificate("authority").getEncoded());
            this.key = pem(
                    "key",
                    "PRIVATE KEY",
                    keys.getKey("self", PASSWORD.toCharArray()).getEncoded());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The authority's certificate. */
    public Path authority() {
        return authority;
    }

    /** File with the private key. All certificates use this key. Its format is PKCS #8, not encrypted. */
    public Path key() {
        return key;
    }

    /**
     * Creates a certificate for {@code subject}, such as {@code ip:127.0.0.1}.
     *
     * @param start time at which the certificate becomes valid, relative to the present, such as {@code -1d}
     */
    public Path certificate(String name, String subject, String start, int days) {
        Path file = folder.resolve(name + ".pem");
        keytool(
                "-gencert",
                "-alias",
                "authority",
                "-infile",
                folder.resolve("request").toString(),
                "-outfile",
                file.toString(),
                "-rfc",
                "-ext",
                "san=" + subject,
                "-startdate",
                start,
                "-validity",
                Integer.toString(days));
        return file;
    }

    private void keytool(String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        // These options make keytool faster: the process is so short that the optimizing compiler (C2) saves no time.
        command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
        command.addAll(List.of(arguments));
        command.addAll(List.of(
                "-keystore", folder.resolve("store").toString(), "-storetype", "PKCS12", "-storepass", PASSWORD));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            if (process.waitFor() != 0) {
                throw new IllegalStateException("keytool failed: " + output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Path pem(String name, String type, byte[] content) throws IOException {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return Files.writeString(
                folder.resolve(name + ".pem"),
                "-----BEGIN " + type + "-----\n" + base64 + "\n-----END " + type + "-----\n");
    }
}
