// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;

/**
 * The options that the header of an activity contains, because all clients must use the same values. As text:
 *
 * <pre>
 *   DAY CHUNKED 131072 zone=Europe/Berlin expiry=PT9600H
 *   HOUR BITMAP zone=Z expiry=never
 * </pre>
 *
 * <p>The size of the chunks is part of the text, so that a program with another size does not misread the chunks. A text
 * that ends before the zone was written by an older version, and means UTC and no expiry.
 *
 * @param zone a zone with a fixed offset is normalized: {@code UTC} and {@code Z} are the same zone
 * @param expireAfter zero if the keys never expire
 */
record StoredOptions(Granularity granularity, Encoding encoding, ZoneId zone, Duration expireAfter) {

    private static final String ZONE = "zone=";
    private static final String EXPIRY = "expiry=";
    private static final String NEVER = "never";

    StoredOptions {
        zone = zone.normalized();
    }

    static StoredOptions of(ActivityOptions options) {
        return new StoredOptions(options.granularity(), options.encoding(), options.zone(), options.expireAfter());
    }

    /** Reads the text of a header. Empty if the text is unknown. */
    static Optional<StoredOptions> parse(String text) {
        String[] words = text.split(" ", -1);
        try {
            Granularity granularity = Granularity.valueOf(words[0]);
            Encoding encoding = Encoding.valueOf(words.length > 1 ? words[1] : "");
            String layout = layout(granularity, encoding);
            if (text.equals(layout)) {
                return Optional.of(new StoredOptions(granularity, encoding, ZoneOffset.UTC, Duration.ZERO));
            }
            StoredOptions stored = new StoredOptions(
                    granularity,
                    encoding,
                    ZoneId.of(value(words[words.length - 2], ZONE)),
                    duration(value(words[words.length - 1], EXPIRY)));
            return stored.text().equals(text) ? Optional.of(stored) : Optional.empty();
        } catch (IllegalArgumentException | DateTimeException unknown) {
            return Optional.empty();
        }
    }

    /** Whether {@code text} is the header of an activity whose chunks have another size. */
    static boolean hasOtherChunks(String text) {
        String[] words = text.split(" ", -1);
        return words.length > 1
                && words[1].equals(Encoding.CHUNKED.name())
                && (words.length == 2 || !words[2].equals(Long.toString(BlockSize.CHUNK.bits())));
    }

    String text() {
        return layout(granularity, encoding) + " " + ZONE + zone + " " + EXPIRY
                + (expireAfter.isZero() ? NEVER : expireAfter.toString());
    }

    SpanExpiry expiry() {
        return new SpanExpiry(expireAfter, zone);
    }

    /** Returns a copy with another expiry. */
    StoredOptions expiring(Duration after) {
        return new StoredOptions(granularity, encoding, zone, after);
    }

    /** Returns these options, and the default of each option that is not stored. */
    ActivityOptions options() {
        return ActivityOptions.keptForever()
                .granularity(granularity)
                .encoding(encoding)
                .zone(zone)
                .expiring(expireAfter);
    }

    private static String layout(Granularity granularity, Encoding encoding) {
        String layout = granularity + " " + encoding;
        return encoding == Encoding.CHUNKED ? layout + " " + BlockSize.CHUNK.bits() : layout;
    }

    private static String value(String word, String name) {
        if (!word.startsWith(name)) {
            throw new IllegalArgumentException(word);
        }
        return word.substring(name.length());
    }

    private static Duration duration(String text) {
        return text.equals(NEVER) ? Duration.ZERO : ActivityOptions.checkExpiry(Duration.parse(text));
    }
}
