// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.io.File;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Removes the known passwords of a run from its output.
 *
 * <p>The messages of Millrace contain no passwords. This class is needed for other texts: the messages of a JDBC driver
 * may contain passwords.
 */
final class SecretMasker {

    /** The places of passwords in URIs. A separate class, because most runs need no patterns. */
    private static final class Places {

        static final List<Pattern> ALL = Stream.of(
                        "^(?:(?:rediss?|valkeys?)(?:-sentinel|-cluster)?|unix)://(?:[^@/:]*:)?(.*)@", // redis://user:password@host
                        "^jdbc:[\\w:]+//[^/?;@]*?:(.*)@", // jdbc:mysql://user:password@host
                        "(?:password|passwd|pwd|secret|token)=([^&;]+)") // jdbc:…?password=password
                .map(regex -> Pattern.compile(regex, Pattern.CASE_INSENSITIVE))
                .toList();

        private Places() {}
    }

    /** Minimum length of a masked secret. Shorter secrets would match inside ordinary words and numbers. */
    private static final int SHORTEST = 3;

    private static final List<String> COMMANDS =
            List.of("load", "verify", "doctor", "run", "bitmap", "queue", "demo", "help");

    /** Options without a value, after which a user may type a password by mistake. */
    private static final Set<String> FLAGS = Set.of("--password-stdin", "--askpass");

    private final List<String> known = new ArrayList<>();

    /** Adds a secret. */
    void add(String secret) {
        if (secret.length() >= SHORTEST && !known.contains(secret)) {
            known.add(secret);
        }
    }

    /**
     * Adds the password of a Redis URI or a JDBC URL, both as written and URL-decoded. Does nothing if the URI contains
     * no password.
     */
    void addFrom(String uri) {
        for (Pattern pattern : Places.ALL) {
            Matcher matcher = pattern.matcher(uri);
            if (matcher.find()) {
                add(matcher.group(1));
                addDecoded(matcher.group(1));
            }
        }
    }

    /**
     * Adds the argument after {@code --password-stdin} or {@code --askpass} as a secret. These options take no value, but
     * a user may type the password there by mistake. The argument is not added if it looks like an option, a command, or the source of a
     * load.
     */
    void addValueOfFlag(String[] args) {
        for (int i = 1; i < args.length; i++) {
            if (FLAGS.contains(args[i - 1]) && !isOptionOrSource(args[i]) && !COMMANDS.contains(args[i])) {
                add(args[i]);
            }
        }
    }

    private static boolean isOptionOrSource(String word) {
        return word.startsWith("-") || word.startsWith("jdbc:") || new File(word).exists();
    }

    /**
     * Replaces every known secret in {@code text} by {@code ***}, the longest secret first, because a secret may
     * contain a shorter secret.
     */
    String mask(String text) {
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
            // The text is not URL-encoded, so only the text as written is added.
        }
    }
}
