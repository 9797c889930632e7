// SPDX-License-Identifier: Apache-2.0
package io.millrace.packed;

import io.millrace.client.BucketLayout;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Server;
import io.millrace.client.exception.ErrorReplyException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Compares the size of the buckets with the server's limit for compact hashes, once, before the first write.
 * Thread-safe.
 */
final class CompactLimit {

    private static final System.Logger LOGGER = System.getLogger("io.millrace.packed");

    /** The setting with the limit, and its name before Redis 7.0. A newer server replies with both. */
    private static final List<String> SETTINGS = List.of("hash-max-listpack-entries", "hash-max-ziplist-entries");

    private record Limit(String setting, long fields) {}

    private final RedisClient client;
    private final int pairsPerBucket;

    // Held while the limit is read, so that a warning is logged once.
    private final ReentrantLock lock = new ReentrantLock();

    // Changes only from false to true, under the lock.
    private volatile boolean checked;

    CompactLimit(RedisClient client, BucketLayout bucketLayout, BucketMapOptions options) {
        this.client = client;
        this.pairsPerBucket = bucketLayout.pairsPerBucket();
        this.checked = options.aboveLimit();
    }

    /**
     * Blocks for one command, or returns at once if an earlier call has succeeded. Logs a warning if the server does not
     * report the limit, for example because the user has no permission for {@code CONFIG}.
     *
     * @throws BucketLimitException if the size is above the limit
     */
    void check() {
        if (checked) {
            return;
        }
        lock.lock();
        try {
            if (!checked) {
                compare();
                checked = true;
            }
        } finally {
            lock.unlock();
        }
    }

    private void compare() {
        Optional<Limit> limit = limit();
        if (limit.isEmpty()) {
            LOGGER.log(
                    Level.WARNING,
                    "the server does not report its limit for hashes in compact form (CONFIG GET "
                            + SETTINGS.getFirst() + " is refused, or returns no number): bucket=" + pairsPerBucket
                            + ". If the bucket is above the limit, it saves little memory compared with strings.");
            return;
        }
        long fields = limit.get().fields();
        if (pairsPerBucket > fields) {
            throw new BucketLimitException(
                    "bucket is above the server's limit for hashes in compact form, so it saves little memory compared"
                            + " with strings: bucket=" + pairsPerBucket + ", "
                            + limit.get().setting() + "=" + fields + ". "
                            + (fields < BucketLayout.MIN_PAIRS_BY_NUMBER
                                    ? "Raise"
                                    : "Choose " + fields + " or less, raise")
                            + " the setting on the server, or allow this size (BucketMapOptions.withAboveLimit).");
        }
    }

    private Optional<Limit> limit() {
        try {
            Map<String, String> found = client.call(Server.config("hash-max-*-entries"));
            return SETTINGS.stream()
                    .filter(found::containsKey)
                    .findFirst()
                    .flatMap(setting -> limit(setting, found.getOrDefault(setting, "")));
        } catch (ErrorReplyException notAllowed) {
            return Optional.empty();
        }
    }

    private static Optional<Limit> limit(String setting, String value) {
        try {
            return Optional.of(new Limit(setting, Long.parseLong(value)));
        } catch (NumberFormatException notANumber) {
            return Optional.empty();
        }
    }
}
