// SPDX-License-Identifier: Apache-2.0
package io.millrace.packed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.BucketLayout;
import io.millrace.client.ClientOptions;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Server;
import io.millrace.client.exception.RedisException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The comparison of the bucket size with the limit of the server. */
@ExtendWith(NoThreadLeft.class)
class BucketLimitTest {

    private static final String LIMIT = "hash-max-listpack-entries";

    /** A strong reference, because the garbage collector may remove a logger and its handlers. */
    private static final Logger LOGGER = Logger.getLogger("io.millrace.packed");

    private static EmbeddedRedis server;
    private static RedisClient client;

    private final Records records = new Records();

    @BeforeAll
    static void start() {
        server = EmbeddedRedis.start();
        client = connect(server.uri());
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    @BeforeEach
    void prepare() {
        client.call(Server.flush());
        client.call(Server.setConfig(LIMIT, "512"));
        LOGGER.addHandler(records);
    }

    @AfterEach
    void removeHandler() {
        LOGGER.removeHandler(records);
    }

    private static RedisClient connect(String uri) {
        return RedisClient.connect(ClientOptions.builder(RedisUri.parse(uri))
                .connectTimeout(Duration.ofSeconds(60))
                .build());
    }

    private static BucketMap<String> buckets(RedisClient client, int pairsPerBucket) {
        return BucketMap.of(client, BucketLayout.byNumber("user:", pairsPerBucket), Codec.text());
    }

    @Test
    void firstWriteAboveTheLimitIsRefusedAndWritesNothing() {
        BucketMap<String> users = buckets(client, 513);

        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> users.put("user:1", "a"))
                    .isInstanceOf(BucketLimitException.class)
                    .hasMessage("bucket is above the server's limit for hashes in compact form, so it saves little"
                            + " memory compared with strings: bucket=513, hash-max-listpack-entries=512."
                            + " Choose 512 or less, raise the setting on the server,"
                            + " or allow this size (BucketMapOptions.withAboveLimit).");
            assertThatThrownBy(() -> users.putAll(Map.of("user:1", "a"))).isInstanceOf(BucketLimitException.class);
        }

        assertThat(client.call(Server.size())).isZero();
        assertThat(users.get("user:1")).isEmpty();
    }

    @Test
    void bucketUpToTheLimitAndBucketThatTheOptionAllowsAreWritten() {
        BucketMap<String> small = buckets(client, 512);
        BucketMap<String> large = BucketMap.of(
                client, BucketLayout.byNumber("wide:", 1_000), Codec.text(), BucketMapOptions.DEFAULT.withAboveLimit());

        small.put("user:1", "a");
        large.put("wide:1", "b");

        assertThat(small.get("user:1")).contains("a");
        assertThat(large.get("wide:1")).contains("b");
        large.put("wide:2", "b");
        assertThat(records.texts)
                .containsExactly(
                        "bucket is above the server's limit for hashes in compact form, so it saves little memory"
                                + " compared with strings: bucket=1000, hash-max-listpack-entries=512."
                                + " Choose 512 or less, raise the setting on the server, or use strings.");
    }

    @Test
    void refusedMapWritesAfterTheLimitWasRaised() {
        BucketMap<String> users = buckets(client, 1_000);
        assertThatThrownBy(() -> users.put("user:1", "a")).isInstanceOf(BucketLimitException.class);

        client.call(Server.setConfig(LIMIT, "1000"));
        users.put("user:1", "a");

        assertThat(users.get("user:1")).contains("a");
    }

    @Test
    void limitIsReadOnceAndOnlyByAWrite() {
        BucketMap<String> users = buckets(client, 100);
        long before = client.counts().submitted();

        assertThat(users.get("user:1")).isEmpty();
        assertThat(users.remove("user:1")).isFalse();
        long reads = client.counts().submitted() - before;
        IntStream.range(0, 10).forEach(i -> users.put("user:" + i, "a"));

        assertThat(reads).isEqualTo(2);
        assertThat(client.counts().submitted() - before).isEqualTo(2 + 1 + 10);
    }

    @Test
    void userWithoutPermissionForConfigWritesAndIsWarnedOnce() {
        client.call(Command.of("ACL SETUSER", "writer", "on", ">pw", "~*", "&*", "+@all", "-config"));
        try (RedisClient writer = connect("redis://writer:pw@" + server.host() + ":" + server.port())) {
            BucketMap<String> users = buckets(writer, 1_000);

            users.put("user:1", "a");
            users.putAll(Map.of("user:2", "b"));

            assertThat(users.getAll(List.of("user:1", "user:2"))).hasSize(2);
            assertThat(records.texts)
                    .containsExactly("the server does not report its limit for hashes in compact form (CONFIG GET"
                            + " hash-max-listpack-entries is refused, or returns no number): bucket=1000. If the bucket"
                            + " is above the limit, it saves little memory compared with strings.");
        } finally {
            client.call(Command.of("ACL DELUSER", "writer"));
        }
        assertThat(client.call(Keys.exist("user:{0}:1000"))).isEqualTo(1);
    }

    @Test
    void serverBefore7ReportsTheZiplistName() {
        String reply = "*2\r\n$24\r\nhash-max-ziplist-entries\r\n$3\r\n128\r\n";
        Handler handler = Handler.afterHandshake(
                command -> Answer.reply(command.name().equalsIgnoreCase("CONFIG") ? reply : ":1\r\n"));
        try (FakeRedis old = FakeRedis.start(handler);
                RedisClient connected = connect(old.uri())) {

            buckets(connected, 128).put("user:1", "a");

            assertThatThrownBy(() -> buckets(connected, 129).put("user:1", "a"))
                    .hasMessageContaining("bucket=129, hash-max-ziplist-entries=128. Choose 128 or less, raise");
        }
    }

    @Test
    void pairAboveTheLimitForTheLengthIsWrittenAndCountedAndWarnedOnce() {
        BucketMap<String> users = buckets(client, 100);
        BucketMap<String> mails = BucketMap.of(client, BucketLayout.byHash("mail:", 128, 1_000), Codec.text());
        users.put("user:1", "x".repeat(64));
        boolean isCompactBefore = users.memory(10).compact() == 1;

        users.put("user:2", "x".repeat(65));
        users.putAll(Map.of("user:201", "x".repeat(65), "user:301", "short"));
        mails.put("mail:" + "a".repeat(65), "short");

        assertThat(isCompactBefore).isTrue();
        assertThat(users.longPairs()).isEqualTo(2);
        assertThat(mails.longPairs()).isEqualTo(1);
        assertThat(users.memory(10).compact()).isEqualTo(1);
        assertThat(users.memory(10).measured()).isEqualTo(3);
        assertThat(users.get("user:2")).contains("x".repeat(65));
        assertThat(records.texts)
                .hasSize(2)
                .allMatch(text -> text.startsWith("a pair has a field or a value of more bytes than the server keeps in"
                        + " compact form, so its whole bucket becomes a table: bytes=65, hash-max-listpack-value=64."));
    }

    /** With a lock around the command, the second caller would send its command only after the first one timed out. */
    @Test
    void callersDoNotWaitForTheLimitOneAfterTheOther() throws InterruptedException {
        AtomicInteger reads = new AtomicInteger();
        Handler silent = Handler.afterHandshake(command -> {
            if (command.name().equalsIgnoreCase("CONFIG")) {
                reads.incrementAndGet();
            }
            return Answer.noReply();
        });
        List<Thread> callers;
        try (FakeRedis server = FakeRedis.start(silent)) {
            RedisClient connected = connect(server.uri());
            BucketMap<String> users = buckets(connected, 100);
            callers = IntStream.range(0, 10)
                    .mapToObj(caller -> Thread.ofVirtual().start(() -> {
                        try {
                            users.put("user:" + caller, "a");
                        } catch (RedisException lost) {
                            return; // the client was closed
                        }
                    }))
                    .toList();

            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (reads.get() < 10 && System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(1_000_000);
            }
            connected.close();
        }

        for (Thread caller : callers) {
            assertThat(caller.join(Duration.ofSeconds(60))).isTrue();
        }
        assertThat(reads).hasValue(10);
    }

    @Test
    void limitIsReadAgainAfterATemporaryError() {
        String limit = "*2\r\n$25\r\nhash-max-listpack-entries\r\n$3\r\n128\r\n";
        AtomicBoolean loading = new AtomicBoolean(true);
        Handler handler = Handler.afterHandshake(command -> Answer.reply(
                !command.name().equalsIgnoreCase("CONFIG")
                        ? ":1\r\n"
                        : loading.get() ? "-LOADING Redis is loading the dataset in memory\r\n" : limit));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient connected = RedisClient.connect(ClientOptions.builder(RedisUri.parse(server.uri()))
                        .commandTimeout(Duration.ofMillis(200))
                        .build())) {
            BucketMap<String> users = buckets(connected, 129);

            assertThatThrownBy(() -> users.put("user:1", "a")).isInstanceOf(RedisException.class);
            loading.set(false);
            assertThatThrownBy(() -> users.put("user:1", "a")).isInstanceOf(BucketLimitException.class);

            assertThat(records.texts).isEmpty();
        }
    }

    /** The texts of the log records. */
    private static final class Records extends java.util.logging.Handler {

        private final ConcurrentLinkedQueue<String> texts = new ConcurrentLinkedQueue<>();

        @Override
        public void publish(LogRecord logged) {
            texts.add(logged.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
