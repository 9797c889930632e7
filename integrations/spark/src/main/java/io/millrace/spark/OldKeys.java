// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Replies;
import io.millrace.client.command.ScanOptions;
import io.millrace.client.command.ScanPage;
import io.millrace.load.target.TargetOptions;
import java.util.ArrayList;
import java.util.List;

/** Removes the keys of earlier jobs before an overwrite. */
final class OldKeys {

    private static final int PAGE = 1_000;

    private OldKeys() {}

    /**
     * Removes all keys that begin with the text before the first column of the key. Blocks until the whole keyspace is
     * scanned. If the key has no column, this method removes only this key.
     *
     * @return the number of removed keys
     */
    static long remove(RedisClient client, TargetOptions options) {
        String prefix = options.keyPrefix();
        if (options.keyColumns().isEmpty()) {
            return client.call(Keys.unlink(prefix));
        }
        String pattern = glob(prefix) + "*";
        String cursor = ScanPage.START;
        long removed = 0;
        while (true) {
            ScanPage<List<byte[]>> page = client.call(
                    Keys.scan(cursor, ScanOptions.DEFAULT.withMatch(pattern).withCount(PAGE))
                            .as(Replies.page(Replies.list(Replies::bytes))));
            removed += unlink(client.pipeline(), page.found());
            if (page.last()) {
                return removed;
            }
            cursor = page.cursor();
        }
    }

    /** Removes {@code keys} with one command each: in a cluster, the keys of one command must have one hash slot. */
    private static long unlink(Pipeline pipeline, List<byte[]> keys) {
        List<Result<Long>> results = new ArrayList<>();
        keys.forEach(key -> results.add(pipeline.add(Keys.unlink(key))));
        pipeline.run();
        return results.stream().mapToLong(Result::value).sum();
    }

    /** The pattern that matches only {@code text}. */
    static String glob(String text) {
        return text.replaceAll("[\\\\*?\\[\\]^]", "\\\\$0");
    }
}
