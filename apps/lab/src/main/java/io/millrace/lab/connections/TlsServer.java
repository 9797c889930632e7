// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Starts a server with a TLS port on loopback. The keytool of the JDK makes the certificates. */
final class TlsServer {

    private static final String PASSWORD = "changeit";
    private static final Path KEYTOOL = Path.of(System.getProperty("java.home"), "bin", "keytool");

    private final Path folder;

    private TlsServer(Path folder) {
        this.folder = folder;
    }

    /** Whether the machine has everything to make certificates. */
    static boolean isPossible() {
        return Files.isExecutable(KEYTOOL);
    }

    /** The certificate of the authority that {@link #start} makes in {@code folder}. */
    static Path certificate(Path folder) {
        return folder.resolve("authority.pem");
    }

    /** Starts the server with new certificates in {@code folder}. */
    static EmbeddedRedis start(Path folder) throws Exception {
        TlsServer server = new TlsServer(folder);
        Path certificate = server.makeCertificates();
        return EmbeddedRedis.start(EmbeddedOptions.defaults()
                .withTls(new EmbeddedOptions.Tls(certificate, folder.resolve("key.pem"), certificate(folder), false)));
    }

    private Path makeCertificates() throws Exception {
        Path request = folder.resolve("request");
        Path certificate = folder.resolve("server.pem");
        keytool("-genkeypair", "-alias", "authority", "-keyalg", "EC", "-dname", "CN=lab authority", "-ext", "bc:c");
        keytool("-genkeypair", "-alias", "server", "-keyalg", "EC", "-dname", "CN=lab server");
        keytool("-certreq", "-alias", "server", "-file", request.toString());
        keytool(
                "-gencert",
                "-alias",
                "authority",
                "-infile",
                request.toString(),
                "-outfile",
                certificate.toString(),
                "-rfc",
                "-ext",
                "san=ip:127.0.0.1,dns:localhost");
        writePems();
        return certificate;
    }

    private void writePems() throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(folder.resolve("store"))) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(in, PASSWORD.toCharArray());
            writePem(
                    certificate(folder),
                    "CERTIFICATE",
                    store.getCertificate("authority").getEncoded());
            writePem(
                    folder.resolve("key.pem"),
                    "PRIVATE KEY",
                    store.getKey("server", PASSWORD.toCharArray()).getEncoded());
        }
    }

    private static void writePem(Path file, String type, byte[] content) throws IOException {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(file, "-----BEGIN " + type + "-----\n" + base64 + "\n-----END " + type + "-----\n");
    }

    private void keytool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(KEYTOOL.toString(), "-J-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-keystore", folder.resolve("store").toString()));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new LabException("keytool failed: exitCode=" + process.exitValue() + ", output=" + output.strip());
        }
    }
}
