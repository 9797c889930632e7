// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.Entry.Kind;
import io.millrace.client.Codec;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullUnmarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HeaderFormatTest {

    private static final EntryFormat<String> FORMAT = new HeaderFormat<>("texts", Codec.text());

    @Test
    void entryThatDecodesToNullIsRejected() {
        Codec<String> nullCodec = new Codec<>() {
            @Override
            public byte[] encode(String value) {
                return new byte[] {1};
            }

            @Override
            @NullUnmarked
            public String decode(byte[] bytes, int offset, int length) {
                return null;
            }
        };
        EntryFormat<String> format = new HeaderFormat<>("texts", nullCodec);

        assertThat(format.read("key", format.value("key", "value", 1, 0, false)))
                .isNull();
    }

    @Test
    void headerOfAnEntryHasTheDocumentedBytes() {
        byte[] bytes = FORMAT.value("k", "v", 0x0102030405060708L, 0x0a0b0c0d, true);

        assertThat(bytes)
                .hasSize(HeaderFormat.HEADER_BYTES + 1)
                .startsWith(1, 0x81)
                .endsWith('v');
        assertThat(Arrays.copyOfRange(bytes, 10, 22)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13);
    }

    @Test
    void allKindsOfEntriesAreDecoded() {
        assertThat(FORMAT.read("k", FORMAT.value("k", "v", 1_000, 100, true)))
                .isEqualTo(new Entry<>(Kind.VALUE, "v", "", 1_000, 900, true, 23));
        assertThat(FORMAT.read("k", FORMAT.value("k", "v", 1_000, 0, false)))
                .isEqualTo(new Entry<>(Kind.VALUE, "v", "", 1_000, Long.MAX_VALUE, false, 23));
        assertThat(FORMAT.read("k", FORMAT.negative("k", 1_000)))
                .isEqualTo(new Entry<>(Kind.NEGATIVE, null, "", 1_000, Long.MAX_VALUE, false, 22));
        assertThat(FORMAT.read("k", FORMAT.failure("k", "a.B", 1_000)))
                .isEqualTo(new Entry<>(Kind.FAILURE, null, "a.B", 1_000, Long.MAX_VALUE, false, 25));
    }

    private static @Nullable String freshValue(String key, byte[] bytes) {
        long[] checks = new long[1];
        byte[] unused = FORMAT.encodedKey(new byte[0], key, checks, 0);
        return FORMAT.freshValue(checks[0], bytes);
    }

    @Test
    void onlyAValueThatNeedsNoClockIsAFreshValue() {
        for (String key : List.of("k", "", "schl\u00fcssel", "\ud800")) {
            assertThat(freshValue(key, FORMAT.value(key, "v", 1_000, 0, false))).isEqualTo("v");
        }

        assertThat(freshValue("k", FORMAT.value("k", "v", 1_000, 0, true))).isNull();
        assertThat(freshValue("k", FORMAT.value("k", "v", 1_000, 1, false))).isNull();
        assertThat(freshValue("k", FORMAT.negative("k", 1_000))).isNull();
        assertThat(freshValue("k", FORMAT.failure("k", "a.B", 1_000))).isNull();
        assertThat(freshValue("other", FORMAT.value("k", "v", 1_000, 0, false))).isNull();
        assertThat(freshValue("k", new byte[HeaderFormat.HEADER_BYTES - 1])).isNull();
    }

    @Test
    void keyIsEncodedInUtf8AfterItsPrefix() {
        byte[] prefix = "texts:".getBytes(StandardCharsets.UTF_8);
        for (String key : List.of("k", "", "schl\u00fcssel", "a\ud83d\ude00b")) {
            byte[] expected = ("texts:" + key).getBytes(StandardCharsets.UTF_8);

            assertThat(EncodedKey.of(prefix, key)).isEqualTo(expected);
            assertThat(FORMAT.encodedKey(prefix, key, new long[1], 0)).isEqualTo(expected);
        }
    }

    @Test
    void entryOfAnotherKeyOrCacheIsRejected() {
        byte[] bytes = FORMAT.value("key", "v", 1_000, 0, false);

        assertThat(FORMAT.read("kez", bytes)).isNull();
        assertThat(FORMAT.read("key\0", bytes)).isNull();
        assertThat(new HeaderFormat<>("text", Codec.text()).read("key", bytes)).isNull();
        // These two caches build the same Redis key.
        byte[] other = new HeaderFormat<>("a:b", Codec.text()).value("c", "v", 1_000, 0, false);
        assertThat(new HeaderFormat<>("a", Codec.text()).read("b:c", other)).isNull();
        // Both keys have an unpaired surrogate, and so the same bytes in UTF-8.
        byte[] broken = FORMAT.value("\ud800", "v", 1_000, 0, false);
        assertThat(FORMAT.read("\ud801", broken)).isNull();
    }

    @Test
    void malformedBytesAreRejected() {
        long seed = System.nanoTime();
        System.out.println("HeaderFormatTest: seed=" + seed);
        Random random = new Random(seed);
        byte[] bytes = FORMAT.value("key", "value", 1_000, 10, true);

        for (int length = 0; length < HeaderFormat.HEADER_BYTES; length++) {
            assertThat(FORMAT.read("key", Arrays.copyOf(bytes, length))).isNull();
        }
        for (int i = 0; i < 10_000; i++) {
            byte[] noise = new byte[random.nextInt(60)];
            random.nextBytes(noise);
            assertThat(FORMAT.read("key", noise)).isNull();
        }
        bytes[0] = 2;
        assertThat(FORMAT.read("key", bytes)).as("a later format").isNull();
        bytes[0] = 1;
        bytes[1] = 9;
        assertThat(FORMAT.read("key", bytes)).as("another kind").isNull();
    }
}
