// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.BucketLayout;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.packed.BucketMap;
import io.millrace.packed.BucketMemory;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Stores 10,000 small pairs in a few hashes. The pairs take a fraction of the memory of the same number of strings. */
public final class PackedPairs {

    private PackedPairs() {}

    /** Runs the example. The argument is the URI of the server, by default {@code redis://127.0.0.1:6379}. */
    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        try (RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            System.out.println(packed(client, 10_000));
        }
    }

    /**
     * Stores {@code count} pairs, reads some of them, and removes all of them. Returns a report of the memory that the
     * pairs used.
     */
    static String packed(RedisClient client, int count) {
        Map<String, String> all = new HashMap<>();
        IntStream.range(0, count).forEach(id -> all.put("example:user:" + id, "user " + id));

        // snippet: packed-map
        BucketLayout bucketLayout = BucketLayout.byNumber("example:user:", 128);
        BucketMap<String> users = BucketMap.of(client, bucketLayout, Codec.text());

        users.putAll(all); // pipelines of HSET, up to 256 pairs in a command
        users.put("example:user:7", "Grace");
        Optional<String> name = users.get("example:user:7");
        Map<String, String> names = users.getAll(List.of("example:user:1", "example:user:99"));
        boolean removed = users.remove("example:user:98");

        BucketMemory memory = users.memory(1_000); // measures at most 1,000 buckets
        boolean areAllCompact = memory.compact() == memory.measured();
        double bytesPerPair = memory.bytesPerPair();
        // end

        users.removeAll(all.keySet());
        return String.format(
                Locale.ROOT,
                "%s, %s; removed: %s; %,d pairs in %d hashes, all compact: %s, %.1f bytes each",
                name.orElse("nobody"),
                names.get("example:user:99"),
                removed,
                memory.totalPairs(),
                memory.buckets(),
                areAllCompact,
                bytesPerPair);
    }
}
