// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.millrace.testkit.Processes;
import io.millrace.testkit.TestCertificates;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import javax.net.SocketFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EmbeddedRedisTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @Test
    void startedServerAnswers() throws IOException {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                InlineClient inlineClient = InlineClient.connect(redis)) {
            assertThat(inlineClient.call("PING")).isEqualTo("+PONG");
            assertThat(inlineClient.call("SAVE")).isEqualTo("+OK");
            assertThat(redis.version()).matches("\\d+\\.\\d+\\.\\d+");
            assertThat(redis.uri()).isEqualTo("redis://127.0.0.1:" + redis.port());
            assertThat(ProcessHandle.of(redis.pid()).orElseThrow().isAlive()).isTrue();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(redis.directory())))
                    .isEqualTo("rwx------");
        }
    }

    @Test
    void processAndDirectoryAndThreadOfAServerAreRemovedOnClose() {
        EmbeddedRedis redis = EmbeddedRedis.start();

        redis.close();
        redis.close();

        assertThat(redis.isAlive()).isFalse();
        assertThat(ProcessHandle.of(redis.pid())).isEmpty();
        assertThat(redis.directory()).doesNotExist();
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("embedded-redis"));
    }

    @Test
    void redisServerFromTheJarAnswers() throws IOException {
        EmbeddedOptions options = EmbeddedOptions.defaults().withBinary(ServerBinary.fromJar());
        try (EmbeddedRedis redis = EmbeddedRedis.start(options);
                InlineClient inlineClient = InlineClient.connect(redis)) {
            Path binary = redis.directory().resolve("redis-server");

            assertThat(redis.version()).isEqualTo("7.0.15");
            assertThat(inlineClient.call("PING")).isEqualTo("+PONG");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(binary)))
                    .isEqualTo("rwx------");
        }
    }

    @Test
    void passwordIsRequiredAndAppearsInNoLogOrCommandLine() throws IOException {
        String password = "s3cret \"quoted\" pass\\wort ü";
        try (EmbeddedRedis redis =
                        EmbeddedRedis.start(EmbeddedOptions.defaults().withPassword(password));
                InlineClient inlineClient = InlineClient.connect(redis)) {
            assertThat(inlineClient.call("PING")).startsWith("-NOAUTH");
            assertThat(redis.password()).contains(password);
            assertThat(new ServerProbe(redis.port(), redis.password()).ask("server"))
                    .isPresent();
            assertThat(new ServerProbe(redis.port(), Optional.of("another")).ask("server"))
                    .isEmpty();

            String commandLines = ProcessHandle.allProcesses()
                    .flatMap(process -> process.info().commandLine().stream())
                    .reduce("", String::concat);
            assertThat(commandLines).doesNotContain("s3cret");
            assertThat(redis.toString()
                            + redis.log()
                            + EmbeddedOptions.defaults().withPassword(password))
                    .doesNotContain("s3cret");
            assertThat(PosixFilePermissions.toString(
                            Files.getPosixFilePermissions(redis.directory().resolve("redis.conf"))))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void additionalConfigurationAndMemoryLimitAreApplied() throws IOException {
        EmbeddedOptions options =
                EmbeddedOptions.defaults().withMaxMemoryBytes(1_500_000).withConfig("hash-max-listpack-entries 77");
        try (EmbeddedRedis redis = EmbeddedRedis.start(options);
                InlineClient inlineClient = InlineClient.connect(redis)) {
            assertThat(inlineClient.call("CONFIG GET maxmemory")).isEqualTo("*2");
            assertThat(IntStream.range(0, 4).mapToObj(i -> next(inlineClient))).contains("1500000");
            assertThat(inlineClient.call("CONFIG GET hash-max-listpack-entries"))
                    .isEqualTo("*2");
            assertThat(IntStream.range(0, 4).mapToObj(i -> next(inlineClient))).contains("77");
        }
    }

    @Test
    void serverAnswersOnItsUnixSocket() throws IOException {
        try (EmbeddedRedis redis =
                        EmbeddedRedis.start(EmbeddedOptions.defaults().withUnixSocket());
                SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(redis.unixSocket().orElseThrow()));
            channel.write(ByteBuffer.wrap("PING\r\n".getBytes(US_ASCII)));
            ByteBuffer reply = ByteBuffer.allocate(16);
            channel.read(reply);

            assertThat(new String(reply.array(), 0, reply.position(), US_ASCII)).isEqualTo("+PONG\r\n");
        }
    }

    @Test
    void tlsPortUsesTheGivenCertificate(@TempDir Path directory) throws Exception {
        TestCertificates certificates = new TestCertificates(directory);
        Path certificate = certificates.certificate("server", "ip:127.0.0.1", "-1d", 2);
        EmbeddedOptions options = EmbeddedOptions.defaults()
                .withTls(new EmbeddedOptions.Tls(certificate, certificates.key(), certificates.authority(), false));
        try (EmbeddedRedis redis = EmbeddedRedis.start(options);
                Socket socket = trusting(certificates.authority())
                        .createSocket("127.0.0.1", redis.tlsPort().orElseThrow());
                InlineClient inlineClient = new InlineClient(socket)) {
            assertThat(inlineClient.call("PING")).isEqualTo("+PONG");
        }
    }

    private static SocketFactory trusting(Path authority) throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        try (InputStream in = Files.newInputStream(authority)) {
            trusted.setCertificateEntry(
                    "test", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context.getSocketFactory();
    }

    @Test
    void pausedServerDoesNotAnswerUntilItIsResumed() throws IOException {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                InlineClient inlineClient = InlineClient.connect(redis)) {
            redis.pause();
            inlineClient.timeoutMillis(100);
            assertThatThrownBy(() -> inlineClient.call("PING")).isInstanceOf(SocketTimeoutException.class);

            redis.resume();
            inlineClient.timeoutMillis(5_000);

            assertThat(inlineClient.readReply()).isEqualTo("+PONG");
        }
    }

    @Test
    void pausedServerCanBeClosed() {
        EmbeddedRedis redis = EmbeddedRedis.start();
        redis.pause();

        redis.close();

        assertThat(ProcessHandle.of(redis.pid())).isEmpty();
        assertThat(redis.directory()).doesNotExist();
    }

    @Test
    void killedServerEndsAndItsDirectoryIsRemoved() throws IOException {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                InlineClient inlineClient = InlineClient.connect(redis)) {
            inlineClient.call("PING");

            redis.kill();

            assertThat(redis.isAlive()).isFalse();
            assertThat(inlineClient.readReply()).isEqualTo("null");
            assertThat(redis.directory()).doesNotExist();
        }
    }

    @Test
    void concurrentlyStartedServersHaveDifferentPorts() {
        try (var starters = Executors.newVirtualThreadPerTaskExecutor()) {
            var starting = IntStream.range(0, 8)
                    .mapToObj(i -> CompletableFuture.supplyAsync(EmbeddedRedis::start, starters))
                    .toList();
            var servers = starting.stream().map(CompletableFuture::join).toList();

            assertThat(servers).extracting(EmbeddedRedis::port).doesNotHaveDuplicates();
            assertThat(servers).extracting(EmbeddedRedis::pid).doesNotHaveDuplicates();
            servers.forEach(EmbeddedRedis::close);
        }
    }

    @Test
    void startFailsIfAnotherServerAnswersOnThePort() throws IOException {
        try (EmbeddedRedis other = EmbeddedRedis.start()) {
            EmbeddedOptions options = EmbeddedOptions.defaults().withConfig("port " + other.port());

            assertThatThrownBy(() -> EmbeddedRedis.start(options))
                    .isInstanceOf(EmbeddedRedisException.class)
                    .hasMessageFindingMatch("Address (already )?in use");
        }
    }

    @Test
    void messageOfAFailedStartShowsTheRejectedConfigurationButNoPassword() {
        EmbeddedOptions options = EmbeddedOptions.defaults()
                .withPassword("s3cret")
                .withConfig("requirepass s3cret too many", "no-such 1");

        assertThatThrownBy(() -> EmbeddedRedis.start(options))
                .isInstanceOf(EmbeddedRedisException.class)
                .hasMessageMatching(
                        "redis-server did not start after \\d+\\.\\d s: .*exit=1, log=.*requirepass \\*\\*\\*.*")
                .hasMessageNotContaining("s3cret")
                .hasMessageNotContaining("\n");
    }

    @Test
    void serverThatNeverAnswersIsKilledAfterTheStartTimeout(@TempDir Path directory) throws IOException {
        Path mute = script(directory, "exec tail -f /dev/null");
        EmbeddedOptions options =
                EmbeddedOptions.defaults().withBinary(ServerBinary.at(mute)).withStartTimeout(Duration.ofMillis(300));

        assertThatThrownBy(() -> EmbeddedRedis.start(options))
                .isInstanceOf(EmbeddedRedisException.class)
                .hasMessageMatching("redis-server did not start after \\d+\\.\\d s: .*exit=none, log=none.*");
        assertThat(ProcessHandle.allProcesses().flatMap(process -> process.info().commandLine().stream()))
                .noneMatch(line -> line.contains(mute.toString()));
    }

    @Test
    void messageForAMissingBinarySaysWhatToInstall() {
        EmbeddedOptions options = EmbeddedOptions.defaults().withBinary(ServerBinary.at(Path.of("/no/such/server")));

        assertThatThrownBy(() -> EmbeddedRedis.start(options))
                .isInstanceOf(EmbeddedRedisException.class)
                .hasMessageContaining("no server binary was found")
                .hasMessageContaining("Install redis-server or valkey-server");
    }

    @Test
    void serverEndsOnCloseEvenIfItsGuardWasKilled() throws IOException {
        EmbeddedRedis redis = EmbeddedRedis.start();
        ProcessHandle guard =
                ProcessHandle.of(redis.pid()).orElseThrow().parent().orElseThrow();
        assumeThat(guard.pid()).isNotEqualTo(ProcessHandle.current().pid());
        guard.destroyForcibly();
        Processes.awaitEnd(guard, TIMEOUT);

        redis.close();

        ProcessHandle.of(redis.pid()).ifPresent(server -> Processes.awaitEnd(server, TIMEOUT));
        assertThat(redis.directory()).doesNotExist();
    }

    @Test
    void serverIsStartedOnAnotherPortIfThePortIsTaken(@TempDir Path directory) throws IOException {
        Path real = ServerBinary.any().resolve(directory).orElseThrow();
        Path marker = directory.resolve("second-attempt");
        Path failsOnFirstStart = script(
                directory,
                "[ -e '%1$s' ] || { touch '%1$s'; echo 'bind: Address already in use'; exit 1; }; exec '%2$s' \"$@\""
                        .formatted(marker, real));
        EmbeddedOptions options = EmbeddedOptions.defaults().withBinary(ServerBinary.at(failsOnFirstStart));

        try (EmbeddedRedis redis = EmbeddedRedis.start(options);
                InlineClient inlineClient = InlineClient.connect(redis)) {
            assertThat(marker).exists();
            assertThat(inlineClient.call("PING")).isEqualTo("+PONG");
        }
    }

    static Path script(Path directory, String line) throws IOException {
        Path file = Files.writeString(directory.resolve("server.sh"), "#!/bin/sh\n" + line + "\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    private static String next(InlineClient inlineClient) {
        try {
            return inlineClient.readReply();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
