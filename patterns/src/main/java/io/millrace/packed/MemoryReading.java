// SPDX-License-Identifier: Apache-2.0
package io.millrace.packed;

import io.millrace.client.Command;
import io.millrace.client.ErrorReplyException;
import io.millrace.client.Hashes;
import io.millrace.client.Keys;
import io.millrace.client.Packing;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.ScanOptions;
import io.millrace.client.ScanPage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/** Finds the hashes of a packing and measures some of them. */
final class MemoryReading {

    private static final int MOST = 1_000_000;
    private static final int KEYS_OF_A_PAGE = 1_000;

    /** Hashes that are measured in one go. */
    private static final int AT_ONCE = 1_000;

    /** Which hashes are drawn must be left to chance, but may be the same each time. */
    private static final long SEED = 0x5eed;

    /** How the server calls the compact form, before and from 7.0. */
    private static final List<String> COMPACT = List.of("ziplist", "listpack");

    private final RedisClient client;
    private final Packing packing;

    MemoryReading(RedisClient client, Packing packing) {
        this.client = client;
        this.packing = packing;
    }

    PackedMemory read(int most) {
        if (most < 1 || most > MOST) {
            throw new IllegalArgumentException("most is out of range: " + most + ". It is from 1 to " + MOST + ".");
        }
        Draw draw = new Draw(most);
        ScanOptions options = ScanOptions.DEFAULT.withMatch(packing.pattern()).withCount(KEYS_OF_A_PAGE);
        String cursor = ScanPage.START;
        ScanPage<List<String>> page;
        do {
            page = client.call(Keys.scan(cursor, options));
            page.found().stream().filter(packing::isHash).forEach(draw::see);
            cursor = page.cursor();
        } while (!page.last());
        PackedMemory sum = new PackedMemory(draw.seen, 0, 0, 0, 0);
        for (int from = 0; from < draw.names.size(); from += AT_ONCE) {
            sum = measure(draw.names.subList(from, Math.min(from + AT_ONCE, draw.names.size())), sum);
        }
        return sum;
    }

    /** Some of the names that are seen, each with the same chance. A scan may find a name twice: one that is in is not counted again. */
    private static final class Draw {

        private final int most;
        private final List<String> names = new ArrayList<>();
        private final Set<String> distinct = new HashSet<>();
        private final SplittableRandom random = new SplittableRandom(SEED);
        private long seen;

        Draw(int most) {
            this.most = most;
        }

        void see(String name) {
            if (distinct.contains(name)) {
                return;
            }
            seen++;
            if (names.size() < most) {
                names.add(name);
                distinct.add(name);
                return;
            }
            long at = random.nextLong(seen);
            if (at < most) {
                distinct.remove(names.set((int) at, name));
                distinct.add(name);
            }
        }
    }

    private record Answers(Result<Optional<Long>> bytes, Result<Long> pairs, Result<Optional<String>> encoding) {}

    private PackedMemory measure(List<String> names, PackedMemory before) {
        Pipeline pipeline = client.pipeline();
        List<Answers> all = names.stream()
                .map(name -> new Answers(
                        pipeline.add(Command.of(Keys.MEMORY_USAGE, name, "SAMPLES", 0)),
                        pipeline.add(Hashes.size(name)),
                        pipeline.add(Keys.encoding(name))))
                .toList();
        pipeline.run();
        PackedMemory sum = before;
        for (Answers one : all) {
            Optional<Long> bytes = one.bytes().value();
            Optional<String> encoding = one.encoding().value();
            long pairs = pairs(one.pairs());
            // It may have gone since the scan, or be something else that has the name of a hash.
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

    private static PackedMemory plus(PackedMemory sum, boolean compact, long pairs, long bytes) {
        return new PackedMemory(
                sum.hashes(),
                sum.measured() + 1,
                sum.compact() + (compact ? 1 : 0),
                sum.pairs() + pairs,
                sum.bytes() + bytes);
    }
}
