// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.ErrorReplyException;
import io.millrace.client.RedisClient;
import io.millrace.client.Server;
import io.millrace.load.target.Bucket;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Up to where a server keeps a hash compact; what it packs beyond takes most of the memory of strings.
 *
 * @param family which of its names the server's settings have, {@code listpack} or, before 7.0, {@code ziplist}
 * @param entries fields of a hash; empty if the server does not tell
 * @param valueBytes of a field or a value; empty if the server does not tell
 */
record HashLimits(String family, OptionalLong entries, OptionalLong valueBytes) {

    private static final String LISTPACK = "listpack";
    private static final String ZIPLIST = "ziplist";

    /** Where nothing is packed, there is no limit to look at. */
    static final HashLimits NONE = new HashLimits(LISTPACK, OptionalLong.empty(), OptionalLong.empty());

    /** Asks the server. */
    static HashLimits of(RedisClient client) {
        try {
            Map<String, String> settings = client.call(Server.config("hash-max-*"));
            // A server from 7.0 on answers with both names.
            String family = settings.containsKey(entriesOf(LISTPACK)) ? LISTPACK : ZIPLIST;
            return new HashLimits(
                    family, number(settings.get(entriesOf(family))), number(settings.get(valueOf(family))));
        } catch (ErrorReplyException notAllowed) {
            return NONE;
        }
    }

    /**
     * Looks whether {@code bucket} is for this server.
     *
     * @return what the user is to know before rows flow
     * @throws PlanException if its hashes would not be compact, and nobody said that this is meant
     */
    Optional<String> check(Bucket bucket) {
        if (entries.isEmpty()) {
            return Optional.of("the server does not tell how many fields it keeps in compact form (CONFIG GET "
                    + entriesOf(LISTPACK) + " is refused, or answered with no number): bucket=" + bucket.size()
                    + ". If that is more, packed pairs take most of the memory of strings.");
        }
        if (bucket.size() <= entries.getAsLong()) {
            return Optional.empty();
        }
        String trap =
                "bucket is above what the server keeps in compact form, so that packed pairs take most of the memory of"
                        + " strings: bucket=" + bucket.size() + ", " + entriesOf(family) + "=" + entries.getAsLong();
        if (bucket.aboveLimit()) {
            return Optional.of(trap + ".");
        }
        String raise =
                entries.getAsLong() < least(bucket) ? "Raise" : "Choose " + entries.getAsLong() + " or less, raise";
        throw new PlanException(
                trap + ". " + raise + " the setting on the server, or say that it is meant (bucket-above-limit).");
    }

    /** The smallest size there is for pairs like those of {@code bucket}. */
    private static int least(Bucket bucket) {
        return bucket.pairs().isPresent() ? 16 : 2;
    }

    /** What the user is to know of {@code rows} that are longer than the server keeps in compact form. */
    Optional<String> ofLongRows(long rows) {
        return rows == 0
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "%,d %s a field or a value of more than %s=%d bytes, which takes the whole hash out of the compact form.",
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
        } catch (NumberFormatException toldOtherwise) {
            return OptionalLong.empty();
        }
    }
}
