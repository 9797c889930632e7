// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Passwords known to this run, kept out of what it prints.
 *
 * <p>A second line of defence: our own messages never contain them, but a driver's may.
 */
final class Secrets {

    private static final List<Pattern> PLACES = Stream.of(
                    "^rediss?://(?:[^@/:]*:)?(.*)@", // redis://user:password@host
                    "^jdbc:[\\w:]+//[^/?;@]*?:(.*)@", // jdbc:mysql://user:password@host
                    "(?:password|passwd|pwd|secret|token)=([^&;]+)") // jdbc:…?password=password
            .map(place -> Pattern.compile(place, Pattern.CASE_INSENSITIVE))
            .toList();

    /** Shorter ones would be found inside ordinary words and numbers. */
    private static final int SHORTEST = 3;

    private final List<String> known = new ArrayList<>();

    /** Remembers {@code secret}. */
    void add(String secret) {
        if (secret.length() >= SHORTEST && !known.contains(secret)) {
            known.add(secret);
        }
    }

    /** Remembers the password inside a Redis URI or a JDBC URL, as written and decoded; does nothing if there is none. */
    void addFrom(String uri) {
        for (Pattern pattern : PLACES) {
            Matcher matcher = pattern.matcher(uri);
            if (matcher.find()) {
                add(matcher.group(1));
                addDecoded(matcher.group(1));
            }
        }
    }

    /** {@code text} with every known secret replaced by {@code ***}. */
    String hide(String text) {
        String hidden = text;
        for (String secret : known) {
            hidden = hidden.replace(secret, "***");
        }
        return hidden;
    }

    private void addDecoded(String written) {
        try {
            add(URLDecoder.decode(written, StandardCharsets.UTF_8));
        } catch (IllegalArgumentException notEncoded) {
            // It is then only known as it was written.
        }
    }
}
