// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.io.File;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
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

    private static final List<String> COMMANDS = List.of("load", "demo");

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

    /**
     * Remembers the word behind {@code --password-stdin} in {@code args}: somebody took it for the option's value. The source
     * of a load may stand there too, and then is no secret.
     */
    void addStray(String[] args) {
        for (int i = 1; i < args.length; i++) {
            String word = args[i];
            boolean source = word.startsWith("-") || word.startsWith("jdbc:") || new File(word).exists();
            if (args[i - 1].equals("--password-stdin") && !source && !COMMANDS.contains(word)) {
                add(word);
            }
        }
    }

    /** {@code text} with every known secret replaced by {@code ***}; the longest first, since one may be part of another. */
    String hide(String text) {
        String hidden = text;
        List<String> longestFirst = known.stream()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
        for (String secret : longestFirst) {
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
