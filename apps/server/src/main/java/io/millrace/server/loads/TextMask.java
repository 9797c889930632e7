// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import java.util.regex.Pattern;

/**
 * Masks what must not leave the server in a message: addresses of databases and servers, paths, and SQL. A message without
 * these parts stays readable.
 */
public final class TextMask {

    private static final String MASK = "***";

    /** The order matters: an address contains a path. */
    private static final Pattern SECRET = Pattern.compile("\\bjdbc:\\S+"
            + "|\\b(?:rediss?|unix)://\\S+"
            + "|(?i:\\b(?:select|insert|update|delete|with)\\s.+?\\s(?:from|into|set|as)\\b[^.;]*)"
            + "|(?<![\\w/])(?:/[\\w.@+~-]+){2,}/?"
            + "|(?<![\\w.])[\\w.-]+\\.(?:csv|tsv|json|ndjson|jsonl|parquet|db|sqlite|gz|zst)\\b"
            + "|\\b[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)+:\\d{2,5}\\b"
            + "|\\blocalhost:\\d{2,5}\\b"
            + "|\\[[0-9a-fA-F:]+\\]:\\d{2,5}");

    private TextMask() {}

    /** Returns the text with the masked parts. */
    public static String of(String text) {
        return SECRET.matcher(text).replaceAll(MASK);
    }
}
