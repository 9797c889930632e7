// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BucketLayoutTest {

    private static final long SEED = 20_261_122;
    private static final int KEYS = Integer.getInteger("millrace.bucketKeys", 30_000);

    private final BucketLocation location = new BucketLocation();

    /**
     * These lines define the bucket and the field of data that is already stored. New lines may be added, but an
     * existing line must never change.
     */
    @ParameterizedTest
    @CsvSource({
        "1000, user:123456, user:{123}:1000, 456",
        "1000, user:0, user:{0}:1000, 0",
        "1000, user:999, user:{0}:1000, 999",
        "1000, user:1000, user:{1}:1000, 0",
        "128, user:123456, user:{964}:128, 64",
        "2, user:999999999999999999, user:{499999999999999999}:2, 1",
        "512, user:{42}:7, user:{42}:{0}:512, 7",
        "512, user:é12, user:é{0}:512, 12",
    })
    void keyWithANumberIsMappedToTheBucketOfItsNumberRange(int pairsPerBucket, String key, String hash, String field) {
        Optional<String> problem = locate(BucketLayout.byNumber("user:", pairsPerBucket), key);

        assertThat(problem).isEmpty();
        assertThat(location.bucket()).asString(UTF_8).isEqualTo(hash);
        assertThat(location.field()).asString(UTF_8).isEqualTo(field);
    }

    /**
     * These lines define the bucket and the field of data that is already stored. New lines may be added, but an
     * existing line must never change.
     */
    @ParameterizedTest
    @CsvSource({
        "1000, 1000000, user:ann@example.org, user:{53}/1278, ann@example.org",
        "128, 1000000, user:ann@example.org, user:{15020}/16839, ann@example.org",
        "1000, 1000, user:7, user:{0}/1, 7",
        "1000, 1000, user:, user:{0}/1, ''",
    })
    void keyIsMappedToABucketByItsHashValue(int pairsPerBucket, long pairs, String key, String hash, String field) {
        Optional<String> problem = locate(BucketLayout.byHash("user:", pairsPerBucket, pairs), key);

        assertThat(problem).isEmpty();
        assertThat(location.bucket()).asString(UTF_8).isEqualTo(hash);
        assertThat(location.field()).asString(UTF_8).isEqualTo(field);
    }

    /**
     * The hash function applies the finalizer of MurmurHash3 to the FNV-1a hash of a text. The published FNV-1a hash of
     * "foobar" is 0x85944171f73967e8.
     */
    @Test
    void hashFunctionIsFnv1aWithTheFinalizerOfMurmurHash3() {
        byte[] text = "xfoobarx".getBytes(UTF_8);

        assertThat(HashedBuckets.hash(text, 1, 7)).isEqualTo(finalized(0x85944171f73967e8L));
        assertThat(HashedBuckets.hash(text, 1, 1)).isEqualTo(finalized(0xcbf29ce484222325L));
    }

    private static long finalized(long value) {
        long mixed = (value ^ (value >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ (mixed >>> 33);
    }

    /**
     * These numbers of buckets must never change. With another number of buckets, the client would look for stored
     * pairs in the wrong buckets.
     */
    @ParameterizedTest
    @CsvSource({
        "1000, 1000, 1",
        "1000, 1001, 2",
        "1000, 1000000, 1278",
        "128, 1000000, 16839",
        "512, 300000000, 863691",
        "16, 1000000000000, 2864913299003",
        "1000000, 1000000000000, 1008358",
    })
    void numberOfBucketsForANumberOfPairsNeverChanges(int pairsPerBucket, long pairs, long hashes) {
        assertThat(HashedBuckets.bucketsFor(pairsPerBucket, pairs)).isEqualTo(hashes);
    }

    @ParameterizedTest
    @CsvSource({
        "user:ann, the key does not end in a decimal number",
        "user:, the key does not end in a decimal number",
        "user:1a, the key does not end in a decimal number",
        "user:00, the number in the key begins with a zero",
        "user:007, the number in the key begins with a zero",
        "user:1000000000000000000, the number in the key has more than 18 digits",
        "person:7, the key does not begin with the prefix",
        "use, the key does not begin with the prefix",
        "'', the key does not begin with the prefix",
    })
    void unsupportedKeyIsRejectedWithAReasonThatDoesNotContainTheKey(String key, String reason) {
        assertThat(locate(BucketLayout.byNumber("user:", 100), key)).contains(reason);
    }

    @Test
    void digitsOfThePrefixAreNotPartOfTheNumberAtTheEndOfTheKey() {
        locate(BucketLayout.byNumber("v2", 100), "v2345");

        assertThat(location.bytes()).startsWith("v2{3}:10045".getBytes(UTF_8));
        assertThat(locate(BucketLayout.byNumber("v2", 100), "v2")).contains("the key does not end in a decimal number");
    }

    @Test
    void distinctKeysNeverShareAFieldOfABucket() {
        System.out.println("BucketLayoutTest seed " + SEED);
        SplittableRandom random = new SplittableRandom(SEED);
        BucketLayout[] layouts = {
            BucketLayout.byNumber("k", 2),
            BucketLayout.byNumber("k", 10),
            BucketLayout.byNumber("k", 1000),
            BucketLayout.byHash("k", 16, 1),
            BucketLayout.byHash("k", 16, 100_000)
        };
        Map<String, String> keyAt = new HashMap<>();
        Map<String, BucketLayout> layoutOf = new HashMap<>();
        for (int i = 0; i < KEYS; i++) {
            String key = "k" + randomText(random);
            for (BucketLayout bucketLayout : layouts) {
                if (locate(bucketLayout, key).isEmpty()) {
                    String hash = new String(location.bucket(), UTF_8);
                    String where = hash + "\n" + new String(location.field(), UTF_8);
                    assertThat(keyAt.merge(where, key, (before, now) -> before))
                            .as(where)
                            .isEqualTo(key);
                    assertThat(layoutOf.merge(hash, bucketLayout, (before, now) -> before))
                            .as(hash)
                            .isEqualTo(bucketLayout);
                    assertThat(bucketLayout.isBucketName(hash)).as(hash).isTrue();
                }
            }
        }
        assertThat(keyAt).hasSizeGreaterThan(KEYS);
    }

    /**
     * Returns a random short text. Many texts are similar, because the alphabet is small: it has digits, braces, and
     * the characters that follow the number in the name of a bucket.
     */
    private static String randomText(SplittableRandom random) {
        String alphabet = "0123{}:/k1";
        StringBuilder text = new StringBuilder();
        for (int length = random.nextInt(8); length >= 0; length--) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 128, 1000})
    void bucketOfANumberRangeHasAtMostTheConfiguredNumberOfPairs(int pairsPerBucket) {
        BucketLayout bucketLayout = BucketLayout.byNumber("", pairsPerBucket);
        Map<String, Integer> sizes = new HashMap<>();
        Set<Integer> fields = new HashSet<>();

        for (int number = 0; number < 100_000; number++) {
            locate(bucketLayout, Integer.toString(number));
            sizes.merge(new String(location.bucket(), UTF_8), 1, Integer::sum);
            fields.add(Integer.parseInt(new String(location.field(), UTF_8)));
        }

        assertThat(sizes.values()).allMatch(size -> size <= pairsPerBucket);
        assertThat(sizes).hasSize((100_000 + pairsPerBucket - 1) / pairsPerBucket);
        assertThat(fields).hasSize(pairsPerBucket).allMatch(field -> field < pairsPerBucket);
    }

    @ParameterizedTest
    @CsvSource({"32, 10, @example.org", "128, 10, ''", "512, 16, @example.org", "1000, 36, ''"})
    void noBucketExceedsItsSizeWithOneMillionHashedKeys(int pairsPerBucket, int radix, String end) {
        BucketLayout bucketLayout = BucketLayout.byHash("user:", pairsPerBucket, 1_000_000);
        Map<String, Integer> sizes = new HashMap<>();

        for (int i = 0; i < 1_000_000; i++) {
            locate(bucketLayout, "user:" + Integer.toString(i, radix) + end);
            sizes.merge(new String(location.bytes(), 0, location.bucketLength(), UTF_8), 1, Integer::sum);
        }

        int most = sizes.values().stream().mapToInt(Integer::intValue).max().orElseThrow();
        assertThat(most).isLessThanOrEqualTo(pairsPerBucket);
        assertThat(most).as("fullest bucket").isGreaterThan(pairsPerBucket / 3);
    }

    @Test
    void differentLayoutsMapOneKeyToDifferentBuckets() {
        Set<String> hashes = new HashSet<>();
        for (BucketLayout bucketLayout : new BucketLayout[] {
            BucketLayout.byNumber("", 100),
            BucketLayout.byNumber("", 1000),
            BucketLayout.byHash("", 100, 10_000),
            BucketLayout.byHash("", 100, 99_000)
        }) {
            locate(bucketLayout, "user:7");
            hashes.add(new String(location.bucket(), UTF_8));
        }

        assertThat(hashes).hasSize(4);
    }

    @Test
    void keyMayStartAtAnyOffsetOfAByteArray() {
        byte[] bytes = "12user:123456789".getBytes(UTF_8);

        Optional<String> problem = BucketLayout.byNumber("user:", 100).locate(bytes, 2, 9, location);

        assertThat(problem).isEmpty();
        assertThat(Arrays.copyOf(location.bytes(), location.bucketLength() + location.fieldLength()))
                .asString(UTF_8)
                .isEqualTo("user:{12}:10034");
    }

    @Test
    void settingOutOfRangeIsRejectedAndTheMessageContainsTheRange() {
        assertThatThrownBy(() -> BucketLayout.byNumber("", 1))
                .hasMessage("pairsPerBucket=1 is out of range: 2 to 1,000,000.");
        assertThatThrownBy(() -> BucketLayout.byNumber("", 1_000_001)).hasMessageContaining("2 to 1,000,000.");
        assertThatThrownBy(() -> BucketLayout.byHash("", 15, 100))
                .hasMessageContaining("pairsPerBucket=15 is out of range: 16 to 1,000,000.");
        assertThatThrownBy(() -> BucketLayout.byHash("", 16, 0))
                .hasMessage("pairs=0 is out of range: 1 to 1,000,000,000,000.");
    }

    @Test
    void patternMatchesOnlyBucketNamesWithThePrefix() {
        assertThat(BucketLayout.byNumber("a*[b]?", 10).pattern()).isEqualTo("a\\*\\[b\\]\\?*{*}:10");
        assertThat(BucketLayout.byHash("a:", 16, 1).pattern()).isEqualTo("a:{*}/1");
        assertThat(BucketLayout.byNumber("a", 10).isBucketName("a{x}:10")).isFalse();
        assertThat(BucketLayout.byNumber("a", 10).isBucketName("a:{07}:10")).isFalse();
        assertThat(BucketLayout.byNumber("a", 10).isBucketName("a:{7}:100")).isFalse();
        assertThat(BucketLayout.byNumber("a", 10).isBucketName("a:{7}:10")).isTrue();
    }

    private Optional<String> locate(BucketLayout bucketLayout, String key) {
        byte[] bytes = key.getBytes(UTF_8);
        return bucketLayout.locate(bytes, 0, bytes.length, location);
    }
}
