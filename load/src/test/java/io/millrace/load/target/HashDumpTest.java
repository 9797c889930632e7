// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Replies;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.load.TestRedis;
import io.millrace.resp.Reply;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Compares dumps with the dumps of a real server for the same hashes. */
class HashDumpTest {

    private static final CommandSpec<Reply> HSET = CommandSpec.of("HSET", Replies::raw);
    private static final CommandSpec<Reply> RESTORE = CommandSpec.of("RESTORE", Replies::raw);

    /** The version of the format, and the checksum. */
    private static final int END_BYTES = 2 + 8;

    private static TestRedis redis;

    private static long memoryTolerance;

    private final HashDump dump = new HashDump();

    @BeforeAll
    static void start() {
        redis = TestRedis.start(EmbeddedOptions.defaults()
                .withConfig(
                        "rdbcompression no",
                        "enable-debug-command yes",
                        "sanitize-dump-payload yes",
                        "hash-max-listpack-value 100000",
                        "hash-max-listpack-entries 100000"));
        memoryTolerance = redis.memoryTolerance();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @BeforeEach
    void empty() {
        redis.call("FLUSHALL");
    }

    @Test
    void integersAtEveryBoundaryAreStoredAsTheServerStoresThem() {
        assertDumpIsThatOfTheServer(hash(integers()));
    }

    @Test
    void textsThatAreNoCanonicalIntegersAreStoredAsTheServerStoresThem() {
        assertDumpIsThatOfTheServer(hash(List.of(
                "",
                "-",
                "-0",
                "00",
                "01",
                "-01",
                "+1",
                " 1",
                "1 ",
                "1.0",
                "1e3",
                "0x1",
                "\u0661",
                "1\u0000",
                "--1",
                "12345678901234567890123",
                "-12345678901234567890123")));
    }

    @Test
    void stringsAtEveryBoundaryAreStoredAsTheServerStoresThem() {
        for (int length : List.of(
                0, 1, 13, 20, 21, 62, 63, 64, 65, 123, 124, 125, 126, 127, 128, 4_094, 4_095, 4_096, 4_097, 16_376,
                16_377, 16_378, 16_379, 16_380, 30_000, 65_000)) {
            assertDumpIsThatOfTheServer(Map.of("f", "x".repeat(length)));
            assertDumpIsThatOfTheServer(Map.of("y".repeat(length / 2), "x".repeat(length - length / 2)));
        }
    }

    @Test
    void listpacksOfEverySizeHaveTheLengthThatTheServerWrites() {
        for (int length : IntStream.concat(IntStream.range(0, 100), IntStream.range(16_300, 16_400))
                .toArray()) {
            assertDumpIsThatOfTheServer(Map.of("a", "x".repeat(length)));
        }
    }

    @Test
    void arbitraryBytesAreStoredAsTheServerStoresThem() {
        StringBuilder all = new StringBuilder();
        for (char c = 0; c < 256; c++) {
            all.append(c);
        }
        Map<String, String> hash = new LinkedHashMap<>();
        all.chars().forEach(c -> hash.put("" + (char) c, (char) c + "\r\n" + (char) c));
        hash.put(all.toString(), all.reverse().toString());

        assertDumpIsThatOfTheServer(hash);
    }

    @Test
    void randomHashesAreStoredAsTheServerStoresThem() {
        for (int round = 0; round < 500; round++) {
            long seed = new Random().nextLong();
            Random random = new Random(seed);
            Map<String, String> hash = new LinkedHashMap<>();
            int fields = 1 + random.nextInt(40);
            for (int i = 0; i < fields; i++) {
                hash.put(random(random), random(random));
            }

            assertDumpIsThatOfTheServer(hash, "seed=" + seed);
        }
    }

    @Test
    void hashOfMoreThanTheMaximumIsRefused() {
        byte[] text = new byte[HashDump.MAX_BYTES - 40];

        dump.clear();
        assertThat(dump.add(text, 0, text.length)).isTrue();
        assertThat(dump.add(text, 0, 100)).isFalse();
        dump.clear();
        assertThat(dump.add(new byte[HashDump.MAX_BYTES], 0, HashDump.MAX_BYTES))
                .isFalse();
        assertThat(dump.addElement(new byte[HashDump.MAX_BYTES])).isFalse();
        assertThat(dump.add(text, 0, 10)).isTrue();
    }

    /** Each value that needs another number of bytes than its neighbour, and its neighbours. */
    private static List<String> integers() {
        List<String> integers = new ArrayList<>();
        for (int bits : List.of(0, 7, 8, 12, 13, 15, 16, 23, 24, 31, 32, 63, 64)) {
            BigInteger limit = BigInteger.TWO.pow(bits);
            for (BigInteger each : List.of(limit, limit.negate())) {
                for (int i = -2; i <= 2; i++) {
                    integers.add(each.add(BigInteger.valueOf(i)).toString());
                }
            }
        }
        for (int digits = 1; digits < 23; digits++) {
            integers.add("9".repeat(digits));
            integers.add("-" + "9".repeat(digits));
            integers.add("1" + "0".repeat(digits));
        }
        return integers;
    }

    private static String random(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> Long.toString(random.nextLong() >> random.nextInt(64));
            case 1 ->
                new String(RandomText.next(random).getBytes(UTF_8), ISO_8859_1).transform(HashDumpTest::shortened);
            case 2 ->
                Stream.generate(() -> "" + (char) random.nextInt(256))
                        .limit(random.nextInt(200))
                        .reduce("", String::concat);
            default -> Integer.toString(random.nextInt(300) - 100);
        };
    }

    private static String shortened(String text) {
        return text.substring(0, Math.min(text.length(), 500));
    }

    /** A hash with each text as a field and as a value. */
    private static Map<String, String> hash(List<String> texts) {
        Map<String, String> hash = new LinkedHashMap<>();
        texts.forEach(text -> hash.put(new String(text.getBytes(UTF_8), ISO_8859_1), text));
        hash.replaceAll((field, value) -> field);
        return hash;
    }

    private void assertDumpIsThatOfTheServer(Map<String, String> hash) {
        assertDumpIsThatOfTheServer(hash, hash.toString());
    }

    /** The characters of {@code hash} are bytes. */
    private void assertDumpIsThatOfTheServer(Map<String, String> hash, String description) {
        redis.call("DEL", "h", "r");
        redis.call(HSET, sink -> {
            sink.arg("h");
            hash.forEach((field, value) -> sink.arg(field.getBytes(ISO_8859_1)).arg(value.getBytes(ISO_8859_1)));
        });
        dump.clear();
        // A field is encoded once for all rows, a value for its row.
        hash.forEach((field, value) -> {
            byte[] bytes = ("#" + value).getBytes(ISO_8859_1);
            assertThat(dump.addElement(HashDump.element(field.getBytes(ISO_8859_1))))
                    .isTrue();
            assertThat(dump.add(bytes, 1, bytes.length - 1)).isTrue();
        });
        dump.complete();

        Reply restored =
                redis.call(RESTORE, sink -> sink.arg("r").arg(0).arg(dump.bytes(), dump.start(), dump.length()));

        assertThat(restored).as(description).isEqualTo(new Reply.SimpleString("OK"));
        assertBytesAreThoseOfTheServer(description);
        assertThat(redis.call("OBJECT", "ENCODING", "r"))
                .as(description)
                .isEqualTo(redis.call("OBJECT", "ENCODING", "h"));
        assertThat(redis.call("DEBUG", "DIGEST-VALUE", "r"))
                .as(description)
                .isEqualTo(redis.call("DEBUG", "DIGEST-VALUE", "h"));
        assertThat(memory("r")).as(description).isCloseTo(memory("h"), within(memoryTolerance));
    }

    private static long memory(String key) {
        return Replies.integer(redis.call("MEMORY", "USAGE", key));
    }

    /**
     * A server writes its own version of the format, and its checksum covers the version. So these two are the same only
     * if the server writes the version that this class writes.
     */
    private void assertBytesAreThoseOfTheServer(String description) {
        byte[] written = Arrays.copyOfRange(dump.bytes(), dump.start(), dump.start() + dump.length());
        byte[] ofServer = Replies.bytes(redis.call("DUMP", "h"));
        int version = version(ofServer);

        assertThat(version).as(description).isGreaterThanOrEqualTo(version(written));
        boolean isSameVersion = version == version(written);
        assertThat(isSameVersion ? written : withoutVersion(written))
                .as(description)
                .isEqualTo(isSameVersion ? ofServer : withoutVersion(ofServer));
    }

    private static int version(byte[] dump) {
        int at = dump.length - END_BYTES;
        return (dump[at] & 0xFF) | (dump[at + 1] & 0xFF) << 8;
    }

    private static byte[] withoutVersion(byte[] dump) {
        return Arrays.copyOf(dump, dump.length - END_BYTES);
    }
}
