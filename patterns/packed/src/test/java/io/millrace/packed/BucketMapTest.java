// SPDX-License-Identifier: Apache-2.0
package io.millrace.packed;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.BucketLayout;
import io.millrace.client.ClientOptions;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadLeft.class)
class BucketMapTest {

    private static final long SEED = 20_261_122;
    private static final BucketLayout HUNDREDS = BucketLayout.byNumber("user:", 100);
    private static final BucketLayout HASHED = BucketLayout.byHash("mail:", 128, 10_000);

    private static EmbeddedRedis server;
    private static RedisClient client;

    private BucketMap<String> users;

    @BeforeAll
    static void start() {
        server = EmbeddedRedis.start();
        client = RedisClient.connect(ClientOptions.builder(RedisUri.parse(server.uri()))
                .connectTimeout(Duration.ofSeconds(10))
                .build());
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    @BeforeEach
    void empty() {
        client.call(Server.flush());
        users = BucketMap.of(client, HUNDREDS, Codec.text());
    }

    @Test
    void pairIsFoundUntilItIsRemoved() {
        users.put("user:4711", "Ada");

        assertThat(users.get("user:4711")).contains("Ada");
        assertThat(users.get("user:4712")).isEmpty();
        assertThat(client.call(Hashes.getAll("user:{47}:100"))).isEqualTo(Map.of("11", "Ada"));
        assertThat(users.remove("user:4711")).isTrue();
        assertThat(users.remove("user:4711")).isFalse();
        assertThat(users.get("user:4711")).isEmpty();
    }

    @Test
    void manyPairsAreWrittenReadAndRemoved() {
        Map<String, String> pairs = new HashMap<>();
        IntStream.range(0, 5_000).forEach(i -> pairs.put("user:" + i * 3, "v" + i));

        users.putAll(pairs);

        assertThat(users.getAll(pairs.keySet())).isEqualTo(pairs);
        assertThat(users.getAll(List.of("user:3", "user:4", "user:3", "user:999999")))
                .isEqualTo(Map.of("user:3", "v1"));
        assertThat(users.removeAll(List.of("user:0", "user:1", "user:3", "user:3")))
                .isEqualTo(2);
        assertThat(users.get("user:0")).isEmpty();
        assertThat(users.get("user:6")).contains("v2");
    }

    @Test
    void largeBucketsAreReadAndWrittenCompletely() {
        BucketMap<String> wide = BucketMap.of(
                client, BucketLayout.byNumber("", 10_000), Codec.text(), BucketMapOptions.DEFAULT.withAboveLimit());
        Map<String, String> pairs = new HashMap<>();
        IntStream.range(0, 10_000).forEach(i -> pairs.put(Integer.toString(i), Integer.toString(-i)));

        wide.putAll(pairs);

        assertThat(client.call(Server.size())).isEqualTo(1);
        assertThat(wide.getAll(pairs.keySet())).isEqualTo(pairs);
    }

    @Test
    void bucketsOfSeveralPipelinesAreRead() {
        BucketMap<String> sparse = BucketMap.of(client, BucketLayout.byNumber("", 2), Codec.text());
        Map<String, String> pairs = new HashMap<>();
        IntStream.range(0, 12_000).forEach(i -> pairs.put(Integer.toString(i * 2), Integer.toString(i)));

        sparse.putAll(pairs);

        assertThat(client.call(Server.size())).isEqualTo(12_000);
        assertThat(sparse.getAll(pairs.keySet())).isEqualTo(pairs);
    }

    @Test
    void hashedKeysAreSpreadOverBucketsWithoutCollisions() {
        System.out.println("BucketMapTest: seed=" + SEED);
        SplittableRandom random = new SplittableRandom(SEED);
        BucketMap<String> mails = BucketMap.of(client, HASHED, Codec.text());
        Map<String, String> pairs = new HashMap<>();
        while (pairs.size() < 10_000) {
            pairs.put("mail:" + Long.toString(random.nextLong(), 36) + "@é.org", "v" + pairs.size());
        }

        mails.putAll(pairs);

        assertThat(mails.getAll(pairs.keySet())).isEqualTo(pairs);
        BucketMemory memory = mails.memory(1_000_000);
        assertThat(memory.isExact()).isTrue();
        assertThat(memory.pairs()).isEqualTo(10_000);
        assertThat(memory.compact()).as("compact buckets").isEqualTo(memory.buckets());
    }

    @Test
    void methodsWithAnEmptyCollectionSendNoCommand() {
        users.putAll(Map.of());

        assertThat(users.getAll(List.of())).isEmpty();
        assertThat(users.removeAll(List.of())).isZero();
    }

    @Test
    void codecEncodesAndDecodesValues() {
        BucketMap<byte[]> raw = BucketMap.of(client, HUNDREDS, Codec.bytes());
        BucketMap<Integer> numbers = BucketMap.of(
                client,
                HUNDREDS,
                Codec.of(
                        number -> Integer.toString(number).getBytes(UTF_8),
                        bytes -> Integer.valueOf(new String(bytes, UTF_8))));

        raw.put("user:1", new byte[] {(byte) 0xff, 0});
        numbers.put("user:2", 42);

        assertThat(raw.get("user:1").orElseThrow()).containsExactly(0xff, 0);
        assertThat(numbers.get("user:2")).contains(42);
        assertThatThrownBy(() -> users.get("user:1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a value is not text in UTF-8: bytes=2. Use a codec that can decode the value.");
    }

    @Test
    void keyThatTheLayoutCannotMapIsRejectedAndNotShownInTheMessage() {
        assertThatThrownBy(() -> users.get("user:secret"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the key does not end in a decimal number")
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> users.putAll(Map.of("user:1", "a", "other:1", "b")))
                .hasMessageContaining("the key does not begin with the prefix");
        assertThat(client.call(Server.size()))
                .as("keys after the rejected call")
                .isZero();
    }

    @Test
    void putAllFailsAtARedisKeyOfAnotherTypeAndTheOtherBucketsAreWritten() {
        client.call(Strings.set("user:{0}:100", "a string"));

        assertThatThrownBy(() -> users.putAll(Map.of("user:1", "a", "user:101", "b")))
                .isInstanceOf(ErrorReplyException.class)
                .hasMessageContaining("WRONGTYPE");

        assertThat(users.get("user:101")).contains("b");
    }

    @Test
    void memoryOfAllBucketsIsExact() {
        fill(2_050);
        client.call(Strings.set("user:77", "not a bucket"));
        client.call(Hashes.set("user:{x}:100", "1", "not a bucket"));

        BucketMemory memory = users.memory(1_000);

        long bytes = IntStream.rangeClosed(0, 20)
                .mapToLong(i -> client.call(Command.of(Keys.MEMORY_USAGE, "user:{" + i + "}:100", "SAMPLES", 0))
                        .orElseThrow())
                .sum();
        assertThat(memory).isEqualTo(new BucketMemory(21, 21, 21, 2_050, bytes));
        assertThat(memory.isExact()).isTrue();
        assertThat(memory.totalBytes()).isEqualTo(bytes);
        assertThat(memory.totalPairs()).isEqualTo(2_050);
    }

    @Test
    void keyOfAnotherTypeWithABucketNameIsNotMeasured() {
        fill(200);
        client.call(Strings.set("user:{77}:100", "not a bucket"));

        BucketMemory memory = users.memory(1_000);

        assertThat(memory.measured()).isEqualTo(2);
        assertThat(memory.pairs()).isEqualTo(200);
    }

    @Test
    void memoryIsAnEstimateIfOnlySomeBucketsAreMeasured() {
        fill(50_000);
        BucketMemory exact = users.memory(1_000_000);

        BucketMemory estimate = users.memory(50);

        assertThat(estimate.isExact()).isFalse();
        assertThat(estimate.buckets()).isEqualTo(500);
        assertThat(estimate.measured()).isEqualTo(50);
        assertThat(estimate.totalPairs()).isEqualTo(50_000);
        assertThat((double) estimate.totalBytes()).isBetween(0.9 * exact.totalBytes(), 1.1 * exact.totalBytes());
        assertThat(estimate.bytesPerPair()).isBetween(2.0, 40.0);
    }

    @Test
    void bucketWithAValueAboveTheSizeLimitIsNotCountedAsCompact() {
        fill(300);
        users.put("user:42", "x".repeat(65));

        BucketMemory memory = users.memory(10);

        assertThat(memory.measured()).isEqualTo(3);
        assertThat(memory.compact()).isEqualTo(2);
    }

    @Test
    void measuredMemoryIsZeroIfThereAreNoBuckets() {
        assertThat(users.memory(10)).isEqualTo(new BucketMemory(0, 0, 0, 0, 0));
        assertThat(users.memory(10).bytesPerPair()).isZero();
        assertThatThrownBy(() -> users.memory(0)).hasMessage("sampleSize=0 is out of range: 1 to 1,000,000.");
    }

    private void fill(int count) {
        Map<String, String> pairs = new HashMap<>();
        IntStream.range(0, count).forEach(i -> pairs.put("user:" + i, Integer.toString(i)));
        users.putAll(pairs);
    }
}
