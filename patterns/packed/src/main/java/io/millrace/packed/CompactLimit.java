// SPDX-License-Identifier: Apache-2.0
package io.millrace.packed;

import io.millrace.client.BucketLayout;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Server;
import io.millrace.client.exception.ErrorReplyException;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Compares the buckets with the server's limits for compact hashes: the number of pairs before the first write, and the
 * length of each written field and value. Thread-safe.
 */
final class CompactLimit {

    private static final System.Logger LOGGER = System.getLogger("io.millrace.packed");

    private static final String LISTPACK = "listpack";
    private static final String ZIPLIST = "ziplist";

    /** Codes of errors that mean that the server does not let this user read the limits. */
    private static final Set<String> REFUSED = Set.of("NOPERM", "ERR");

    /**
     * The limits of the server.
     *
     * @param family word in the names of the settings: {@code listpack}, or {@code ziplist} before 7.0
     * @param fields maximum number of fields of a compact hash; empty if the server does not report this limit
     * @param valueBytes maximum length of a field or a value; empty if the server does not report this limit
     */
    private record Limits(String family, OptionalLong fields, OptionalLong valueBytes) {

        static final Limits UNKNOWN = new Limits(LISTPACK, OptionalLong.empty(), OptionalLong.empty());

        static Limits of(Map<String, String> settings) {
            // A server from 7.0 on replies with the settings of both families.
            String family = settings.containsKey(entriesOf(LISTPACK)) ? LISTPACK : ZIPLIST;
            return new Limits(family, number(settings.get(entriesOf(family))), number(settings.get(valueOf(family))));
        }
    }

    private final RedisClient client;
    private final int pairsPerBucket;
    private final boolean aboveLimit;
    private final AtomicBoolean warnedOfFields = new AtomicBoolean();
    private final AtomicBoolean warnedOfLength = new AtomicBoolean();
    private final AtomicLong longPairs = new AtomicLong();

    // Empty until the limits were compared successfully. Several callers may read and compare the limits at the same
    // time,
    // which does no harm: a lock would make each caller wait for the timeouts of all others.
    private volatile Optional<Limits> compared = Optional.empty();

    CompactLimit(RedisClient client, BucketLayout bucketLayout, BucketMapOptions options) {
        this.client = client;
        this.pairsPerBucket = bucketLayout.pairsPerBucket();
        this.aboveLimit = options.aboveLimit();
    }

    /**
     * Blocks for one command, or returns at once if an earlier call has succeeded. Logs a warning if the server does not
     * report the limit, for example because the user has no permission for {@code CONFIG}, or if the size is above the limit
     * and the options permit this.
     *
     * @throws BucketLimitException if the size is above the limit, and the options do not permit this
     */
    void check() {
        if (compared.isEmpty()) {
            Limits limits = limits();
            compare(limits);
            compared = Optional.of(limits);
        }
    }

    /** Counts a written pair whose field or value is so long that the server does not keep its bucket compact. */
    void checkLength(byte[] field, byte[] value) {
        int bytes = Math.max(field.length, value.length);
        Limits limits = compared.orElse(Limits.UNKNOWN);
        if (bytes <= limits.valueBytes().orElse(Long.MAX_VALUE)) {
            return;
        }
        longPairs.incrementAndGet();
        if (warnedOfLength.compareAndSet(false, true)) {
            LOGGER.log(
                    Level.WARNING,
                    "a pair has a field or a value of more bytes than the server keeps in compact form, so its whole bucket"
                            + " becomes a table: bytes=" + bytes + ", " + valueOf(limits.family()) + "="
                            + limits.valueBytes().orElse(0)
                            + ". Store such values as strings, or raise the setting on the server."
                            + " Further pairs are only counted (BucketMap.longPairs).");
        }
    }

    long longPairs() {
        return longPairs.get();
    }

    private void compare(Limits limits) {
        if (limits.fields().isEmpty()) {
            warn("the server does not report its limit for hashes in compact form (CONFIG GET " + entriesOf(LISTPACK)
                    + " is refused, or returns no number): bucket=" + pairsPerBucket
                    + ". If the bucket is above the limit, it saves little memory compared with strings.");
            return;
        }
        long fields = limits.fields().getAsLong();
        if (pairsPerBucket <= fields) {
            return;
        }
        String problem =
                "bucket is above the server's limit for hashes in compact form, so it saves little memory compared"
                        + " with strings: bucket=" + pairsPerBucket + ", " + entriesOf(limits.family()) + "=" + fields
                        + ". ";
        String advice = fields < BucketLayout.MIN_PAIRS_BY_NUMBER ? "Raise" : "Choose " + fields + " or less, raise";
        if (!aboveLimit) {
            throw new BucketLimitException(problem + advice
                    + " the setting on the server, or allow this size (BucketMapOptions.withAboveLimit).");
        }
        warn(problem + advice + " the setting on the server, or use strings.");
    }

    private void warn(String message) {
        if (warnedOfFields.compareAndSet(false, true)) {
            LOGGER.log(Level.WARNING, message);
        }
    }

    private Limits limits() {
        try {
            return Limits.of(client.call(Server.config("hash-max-*")));
        } catch (ErrorReplyException e) {
            if (REFUSED.contains(e.code())) {
                return Limits.UNKNOWN;
            }
            throw e; // a temporary error, such as LOADING
        }
    }

    private static String entriesOf(String family) {
        return "hash-max-" + family + "-entries";
    }

    private static String valueOf(String family) {
        return "hash-max-" + family + "-value";
    }

    private static OptionalLong number(@Nullable String text) {
        try {
            return text == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException notANumber) {
            return OptionalLong.empty();
        }
    }
}
