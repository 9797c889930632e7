// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.TestCertificates;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Cipher;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tests TLS with PKCS12 files, encrypted private keys and an {@link SSLContext}. The server requires certificates. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class TlsStoresTest {

    private static final char[] PASSWORD = "Zq7xW-9vKp".toCharArray();
    private static final char[] WRONG = "Zq7xW-wrong".toCharArray();

    @TempDir
    private static Path folder;

    private static Path authority;
    private static Path certificate;
    private static Path key;
    private static Path encryptedKey;
    private static Path keyStore;
    private static Path trustStore;
    private static EmbeddedRedis server;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @BeforeAll
    static void startServer() throws IOException, GeneralSecurityException {
        TestCertificates trusted = new TestCertificates(Files.createDirectory(folder.resolve("trusted")));
        authority = trusted.authority();
        key = trusted.key();
        certificate = trusted.certificate("valid", "ip:127.0.0.1", "-1d", 2);
        encryptedKey = encrypted(key, "PBEWithHmacSHA256AndAES_256", folder.resolve("encrypted.pem"));
        keyStore = store("keys.p12", privateKey(), certificate(certificate));
        trustStore = store("trust.p12", null, certificate(authority));
        server = EmbeddedRedis.start(
                EmbeddedOptions.defaults().withTls(new EmbeddedOptions.Tls(certificate, key, authority, true)));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static byte[] content(Path pem) throws IOException {
        return Base64.getMimeDecoder().decode(Files.readString(pem).replaceAll("-----[^-]*-----", ""));
    }

    private static PrivateKey privateKey() throws IOException, GeneralSecurityException {
        return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(content(key)));
    }

    private static Certificate certificate(Path pem) throws IOException, GeneralSecurityException {
        return CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(Files.readAllBytes(pem)));
    }

    private static Path store(String name, @Nullable PrivateKey privateKey, Certificate certificate)
            throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        if (privateKey == null) {
            store.setCertificateEntry("authority", certificate);
        } else {
            store.setKeyEntry("client", privateKey, PASSWORD, new Certificate[] {certificate});
        }
        Path file = folder.resolve(name);
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, PASSWORD);
        }
        return file;
    }

    private static Path encrypted(Path plain, String algorithm, Path file)
            throws IOException, GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(algorithm);
        cipher.init(
                Cipher.ENCRYPT_MODE,
                SecretKeyFactory.getInstance(algorithm).generateSecret(new PBEKeySpec(PASSWORD)),
                new SecureRandom());
        byte[] pbes2 = HexFormat.of().parseHex("06092a864886f70d01050d");
        byte[] bytes = der(
                0x30, der(0x30, pbes2, cipher.getParameters().getEncoded()), der(0x04, cipher.doFinal(content(plain))));
        String type = "ENCRYPTED PRIVATE KEY-----\n";
        return Files.writeString(
                file, "-----BEGIN " + type + Base64.getMimeEncoder().encodeToString(bytes) + "\n-----END " + type);
    }

    /** A DER value whose content has less than 65,536 bytes. */
    private static byte[] der(int tag, byte[]... parts) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.write(part);
        }
        ByteArrayOutputStream value = new ByteArrayOutputStream();
        value.write(tag);
        value.write(0x82);
        value.write(content.size() >> 8);
        value.write(content.size());
        value.write(content.toByteArray());
        return value.toByteArray();
    }

    private static RedisUri uri() {
        return RedisUri.of("127.0.0.1", server.tlsPort().orElseThrow()).withTls();
    }

    private void assertConnects(TlsOptions tls) {
        try (RedisClient client = clients.connect(uri(), options -> options.tls(tls))) {
            assertThat(client.call(Server.ping())).isEqualTo("PONG");
        }
    }

    private void assertFails(TlsOptions tls, String words) {
        ConnectException failure = catchThrowableOfType(
                ConnectException.class,
                () -> clients.connect(uri(), options -> options.tls(tls)).close());
        assertThat(failure.reason()).isEqualTo(Reason.TLS);
        assertThat(failure).hasMessageContaining(words);
        for (Throwable each = failure; each != null; each = each.getCause()) {
            assertThat(each.toString()).doesNotContain("Zq7xW");
        }
    }

    @Test
    void keysAndAuthoritiesOfPkcs12FilesAreUsed() {
        assertConnects(TlsOptions.DEFAULT.withTrustStore(trustStore, PASSWORD).withKeyStore(keyStore, PASSWORD));
        assertConnects(TlsOptions.DEFAULT.withTrustStore(trustStore, PASSWORD).withCertificate(certificate, key));
        assertConnects(TlsOptions.DEFAULT.trusting(authority).withKeyStore(keyStore, PASSWORD));
    }

    @Test
    void encryptedPrivateKeyIsDecrypted() throws IOException, GeneralSecurityException {
        TlsOptions tls = TlsOptions.DEFAULT.trusting(authority);
        Path other = encrypted(key, "PBEWithHmacSHA512AndAES_128", folder.resolve("other.pem"));

        assertConnects(tls.withCertificate(certificate, encryptedKey, PASSWORD));
        assertConnects(tls.withCertificate(certificate, other, PASSWORD));
        assertConnects(tls.withCertificate(certificate, key, PASSWORD));
    }

    @Test
    void socketsOfAContextAreUsed() throws IOException, GeneralSecurityException {
        SSLContext context = context();
        TlsOptions tls = TlsOptions.DEFAULT.withContext(context);

        assertConnects(tls);

        assertThat(tls.context()).hasValue(context);
        assertFails(tls.withServerName("other.example"), "other.example");
    }

    @Test
    void suppliedContextIsAskedForEachConnection() throws Exception {
        SSLContext context = context();
        List<SSLContext> answers = new CopyOnWriteArrayList<>(List.of(context));
        AtomicInteger asked = new AtomicInteger();
        TlsOptions tls = TlsOptions.using(() -> answers.get(asked.getAndIncrement() % answers.size()));
        RedisUri uri = RedisUri.of("127.0.0.1", server.tlsPort().orElseThrow()).withTls();
        try (RedisClient client = clients.connect(uri, options -> options.tls(tls))) {
            assertThat(asked).hasValue(1);
            client.call(Strings.set("k", "v"));
            try (DedicatedConnection connection = client.borrow()) {
                assertThat(connection.call(Strings.get("k"))).contains("v");
            }

            assertThat(asked).hasValue(2);
            // An open connection keeps its context; a new connection gets the new context.
            answers.set(0, SSLContext.getDefault());
            assertThat(client.call(Strings.get("k"))).contains("v");
            assertFails(tls, "certificat");
        }
    }

    @Test
    void supplierThatFailsOrReturnsNullIsReported() throws NoSuchAlgorithmException {
        assertFails(
                TlsOptions.using(() -> {
                    throw new IllegalStateException("no bundle named redis");
                }),
                "the supplier of the SSLContext failed: java.lang.IllegalStateException: no bundle named redis");
        assertFails(TlsOptions.using(TlsStoresTest::nothing), "the supplier of the SSLContext returned null");
        TlsOptions supplied = TlsOptions.using(TlsStoresTest::nothing);
        SSLContext context = SSLContext.getDefault();
        assertThatIllegalArgumentException().isThrownBy(supplied::insecure);
        assertThatIllegalArgumentException().isThrownBy(() -> supplied.withContext(context));
        assertThat(supplied.toString()).contains("context=supplied");
    }

    @SuppressWarnings("NullAway") // a supplier that breaks its contract
    private static SSLContext nothing() {
        return null;
    }

    private static SSLContext context() throws IOException, GeneralSecurityException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(KeyStore.getInstance(keyStore.toFile(), PASSWORD), PASSWORD);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(KeyStore.getInstance(trustStore.toFile(), PASSWORD));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    @Test
    void wrongPasswordIsReportedWithTheFile() {
        TlsOptions tls = TlsOptions.DEFAULT.trusting(authority);

        assertFails(tls.withKeyStore(keyStore, WRONG), "the password of " + keyStore + " is wrong");
        assertFails(
                TlsOptions.DEFAULT.withTrustStore(trustStore, WRONG), "the password of " + trustStore + " is wrong");
        assertFails(
                tls.withCertificate(certificate, encryptedKey, WRONG), "the password of " + encryptedKey + " is wrong");
        assertFails(
                tls.withCertificate(certificate, encryptedKey),
                "the private key in " + encryptedKey + " is encrypted. Give its password");
    }

    @Test
    void fileWithoutTheExpectedContentIsReported() throws IOException {
        TlsOptions tls = TlsOptions.DEFAULT.trusting(authority);
        Path nowhere = folder.resolve("nowhere.p12");
        Path empty = Files.writeString(folder.resolve("empty.pem"), "");
        Path unsupported = Files.writeString(
                folder.resolve("unsupported.pem"),
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAAA\n-----END ENCRYPTED PRIVATE KEY-----\n");

        assertFails(tls.withKeyStore(nowhere, PASSWORD), "nowhere.p12");
        assertFails(TlsOptions.DEFAULT.withTrustStore(nowhere, PASSWORD), "nowhere.p12");
        assertFails(tls.withKeyStore(certificate, PASSWORD), certificate + " is not a PKCS12 file");
        assertFails(tls.withKeyStore(trustStore, PASSWORD), trustStore + " holds no private key with a certificate");
        assertFails(TlsOptions.DEFAULT.withTrustStore(keyStore, PASSWORD), keyStore + " holds no trusted certificate");
        assertFails(tls.withCertificate(empty, key), empty + " holds no certificate");
        assertFails(tls.withCertificate(certificate, unsupported, PASSWORD), unsupported + " is encrypted in a way");
    }

    @Test
    void twoSourcesOfTheSameThingAreRejected() throws Exception {
        TlsOptions pem = TlsOptions.DEFAULT.trusting(authority).withCertificate(certificate, key);
        TlsOptions context = TlsOptions.DEFAULT.withContext(SSLContext.getDefault());

        assertThatIllegalArgumentException()
                .isThrownBy(() -> pem.withTrustStore(trustStore, PASSWORD))
                .withMessageContaining("a PEM file and a trust store");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pem.withKeyStore(keyStore, PASSWORD))
                .withMessageContaining("a PEM file and a key store");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pem.withContext(SSLContext.getDefault()))
                .withMessageContaining("Give no files");
        assertThatIllegalArgumentException().isThrownBy(context::insecure);
        assertThatIllegalArgumentException().isThrownBy(() -> context.withKeyStore(keyStore, PASSWORD));
    }

    @Test
    void passwordsAreCopiedAndNotShown() {
        char[] given = PASSWORD.clone();
        TlsOptions tls = TlsOptions.DEFAULT.withTrustStore(trustStore, given).withKeyStore(keyStore, given);
        given[0] = '!';
        tls.keyPassword().orElseThrow()[1] = '!';
        tls.trustStorePassword().orElseThrow()[1] = '!';

        assertThat(tls.keyPassword()).hasValue(PASSWORD);
        assertThat(tls.trustStorePassword()).hasValue(PASSWORD);
        assertThat(tls)
                .isEqualTo(
                        TlsOptions.DEFAULT.withTrustStore(trustStore, PASSWORD).withKeyStore(keyStore, PASSWORD))
                .isNotEqualTo(
                        TlsOptions.DEFAULT.withTrustStore(trustStore, PASSWORD).withKeyStore(keyStore, WRONG));
        assertThat(tls.toString()).contains("keyStore=" + keyStore).doesNotContain("Zq7x");
    }
}
