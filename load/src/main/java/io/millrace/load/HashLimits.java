// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.command.Server;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.load.target.BucketOptions;
import io.millrace.load.target.PlanException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The limits up to which a server keeps a hash in its compact form. A bucket above the limits saves little memory
 * compared with separate strings.
 *
 * @param family word in the names of the settings: {@code listpack}, or {@code ziplist} before 7.0
 * @param entries maximum number of fields of a hash; empty if the server does not report this limit
 * @param valueBytes maximum length of a field or a value; empty if the server does not report this limit
 */
record HashLimits(String family, OptionalLong entries, OptionalLong valueBytes) {

    private static final String LISTPACK = "listpack";
    private static final String ZIPLIST = "ziplist";

    /** The limits are unknown: the load has no buckets, or the server refuses CONFIG GET. */
    static final HashLimits NONE = new HashLimits(LISTPACK, OptionalLong.empty(), OptionalLong.empty());

    /** Reads the limits from the server. Blocks until the reply arrives. */
    static HashLimits of(ControlCalls calls) {
        try {
            Map<String, String> settings = calls.call(Server.config("hash-max-*"));
            // From 7.0 on, a server replies with the settings of both families.
            String family = settings.containsKey(entriesOf(LISTPACK)) ? LISTPACK : ZIPLIST;
            return new HashLimits(
                    family, number(settings.get(entriesOf(family))), number(settings.get(valueOf(family))));
        } catch (ErrorReplyException notAllowed) {
            return NONE;
        }
    }

    /**
     * Compares the size of the buckets with the limit of this server.
     *
     * @return a warning for the user, if the limit is unknown or the size is above the limit; empty if the size is
     *     within the limit
     * @throws PlanException if the size is above the limit and {@link BucketOptions#aboveLimit} is false
     */
    Optional<String> check(BucketOptions bucketOptions) {
        if (entries.isEmpty()) {
            return Optional.of("the server does not report its limit for hashes in compact form (CONFIG GET "
                    + entriesOf(LISTPACK) + " is refused, or returns no number): bucket=" + bucketOptions.size()
                    + ". If the bucket is above the limit, it saves little memory compared with strings.");
        }
        if (bucketOptions.size() <= entries.getAsLong()) {
            return Optional.empty();
        }
        String problem =
                "bucket is above the server's limit for hashes in compact form, so it saves little memory compared"
                        + " with strings: bucket=" + bucketOptions.size() + ", " + entriesOf(family) + "="
                        + entries.getAsLong();
        if (bucketOptions.aboveLimit()) {
            return Optional.of(problem + ".");
        }
        String advice = entries.getAsLong() < least(bucketOptions)
                ? "Raise"
                : "Choose " + entries.getAsLong() + " or less, raise";
        throw new PlanException(
                problem + ". " + advice + " the setting on the server, or allow this size (bucket-above-limit).");
    }

    /** The smallest size that a bucket with {@code bucketOptions} may have. */
    private static int least(BucketOptions bucketOptions) {
        return bucketOptions.pairs().isPresent() ? 16 : 2;
    }

    /** A warning that {@code rows} rows have a field or a value longer than the limit; empty if {@code rows} is 0. */
    Optional<String> ofLongRows(long rows) {
        return rows == 0
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "%,d %s a field or a value of more than %s=%d bytes."
                                + " The server does not keep such a hash in compact form.",
                        rows,
                        rows == 1 ? "row has" : "rows have",
                        valueOf(family),
                        valueBytes.orElse(0)));
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
