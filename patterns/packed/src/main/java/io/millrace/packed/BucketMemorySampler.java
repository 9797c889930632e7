// SPDX-License-Identifier: Apache-2.0
package io.millrace.packed;

import io.millrace.client.BucketLayout;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.Setting;
import io.millrace.client.command.Command;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.client.command.ScanOptions;
import io.millrace.client.command.ScanPage;
import io.millrace.client.exception.ErrorReplyException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/** Finds the buckets with {@code SCAN}, and measures the memory of a random sample of the buckets. */
final class BucketMemorySampler {

    private static final int MAXIMUM_SAMPLE = 1_000_000;
    private static final int KEYS_PER_PAGE = 1_000;

    /** Number of buckets measured in one pipeline. */
    private static final int BUCKETS_PER_PIPELINE = 1_000;

    /** The sample must be random, but may be the same in each call. */
    private static final long SEED = 0x5eed;

    /** The names of the compact encoding: {@code ziplist} before Redis 7.0, and {@code listpack} since Redis 7.0. */
    private static final List<String> COMPACT = List.of("ziplist", "listpack");

    private final RedisClient client;
    private final BucketLayout bucketLayout;

    BucketMemorySampler(RedisClient client, BucketLayout bucketLayout) {
        this.client = client;
        this.bucketLayout = bucketLayout;
    }

    BucketMemory sample(int sampleSize) {
        Setting.checkArgument("sampleSize", sampleSize, 1, MAXIMUM_SAMPLE);
        Sample sample = new Sample(sampleSize);
        ScanOptions options =
                ScanOptions.DEFAULT.withMatch(bucketLayout.pattern()).withCount(KEYS_PER_PAGE);
        String cursor = ScanPage.START;
        ScanPage<List<String>> page;
        do {
            page = client.call(Keys.scan(cursor, options));
            page.found().stream().filter(bucketLayout::isBucketName).forEach(sample::add);
            cursor = page.cursor();
        } while (!page.last());
        BucketMemory sum = new BucketMemory(sample.seen, 0, 0, 0, 0);
        for (int from = 0; from < sample.names.size(); from += BUCKETS_PER_PIPELINE) {
            sum = measure(sample.names.subList(from, Math.min(from + BUCKETS_PER_PIPELINE, sample.names.size())), sum);
        }
        return sum;
    }

    /**
     * A uniform random sample of the scanned names (reservoir sampling). A scan may return a name twice. If a name is
     * already in the sample, the name is not counted again.
     */
    private static final class Sample {

        private final int sampleSize;
        private final List<String> names = new ArrayList<>();
        private final Set<String> distinct = new HashSet<>();
        private final SplittableRandom random = new SplittableRandom(SEED);
        private long seen;

        Sample(int sampleSize) {
            this.sampleSize = sampleSize;
        }

        void add(String name) {
            if (distinct.contains(name)) {
                return;
            }
            seen++;
            if (names.size() < sampleSize) {
                names.add(name);
                distinct.add(name);
                return;
            }
            long at = random.nextLong(seen);
            if (at < sampleSize) {
                distinct.remove(names.set((int) at, name));
                distinct.add(name);
            }
        }
    }

    private record Replies(Result<Optional<Long>> bytes, Result<Long> pairs, Result<Optional<String>> encoding) {}

    private BucketMemory measure(List<String> names, BucketMemory before) {
        Pipeline pipeline = client.pipeline();
        List<Replies> all = names.stream()
                .map(name -> new Replies(
                        pipeline.add(Command.of(Keys.MEMORY_USAGE, name, "SAMPLES", 0)),
                        pipeline.add(Hashes.size(name)),
                        pipeline.add(Keys.encoding(name))))
                .toList();
        pipeline.run();
        BucketMemory sum = before;
        for (Replies replies : all) {
            Optional<Long> bytes = replies.bytes().value();
            Optional<String> encoding = replies.encoding().value();
            long pairs = pairs(replies.pairs());
            // Skip a key that was deleted since the scan, or that is not a hash.
            if (bytes.isPresent() && encoding.isPresent() && pairs > 0) {
                sum = plus(sum, COMPACT.contains(encoding.get()), pairs, bytes.get());
            }
        }
        return sum;
    }

    private static long pairs(Result<Long> size) {
        try {
            return size.value();
        } catch (ErrorReplyException e) {
            if (e.code().equals("WRONGTYPE")) {
                return 0;
            }
            throw e;
        }
    }

    private static BucketMemory plus(BucketMemory sum, boolean compact, long pairs, long bytes) {
        return new BucketMemory(
                sum.buckets(),
                sum.measured() + 1,
                sum.compact() + (compact ? 1 : 0),
                sum.pairs() + pairs,
                sum.bytes() + bytes);
    }
}
