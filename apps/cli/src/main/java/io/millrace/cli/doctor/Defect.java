// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli.doctor;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A known defect of some versions of a server.
 *
 * @param valkey whether the server is Valkey, and not Redis
 * @param id the identifier of its advisory
 * @param effect what can happen, as a part of a sentence
 * @param fixedIn the first fixed patch version of each line of versions. Older lines without an entry are not fixed;
 *     lines after the last entry never had the defect
 */
record Defect(boolean valkey, String id, String effect, Map<String, Integer> fixedIn) {

    /** The known defects, as of November 2026. Sources: the advisories and the release notes of the servers. */
    static final List<Defect> ALL = List.of(
            new Defect(
                    false,
                    "CVE-2026-81934",
                    "with TLS, a remote client may execute code",
                    Map.of("6.2", 24, "7.2", 16, "7.4", 11, "8.2", 9, "8.4", 6, "8.6", 6, "8.8", 2, "8.10", 1)),
            new Defect(
                    false,
                    "CVE-2025-49844",
                    "a user with scripts may execute code",
                    Map.of("6.2", 20, "7.2", 11, "7.4", 6, "8.0", 4, "8.2", 2)),
            new Defect(
                    true,
                    "CVE-2026-56684",
                    "with TLS, a user with CLIENT KILL may execute code",
                    Map.of("8.0", 10, "8.1", 9, "9.0", 5, "9.1", 1)),
            new Defect(
                    true,
                    "CVE-2025-49844",
                    "a user with scripts may execute code",
                    Map.of("7.2", 11, "8.0", 6, "8.1", 4)));

    /** A version of three numbers. */
    record ServerVersion(int major, int minor, int patch) implements Comparable<ServerVersion> {

        private static final Pattern FORM = Pattern.compile("(\\d{1,6})\\.(\\d{1,6})\\.(\\d{1,6})");

        /** Parses {@code 7.0.15}; empty if {@code text} has another form. */
        static Optional<ServerVersion> parse(String text) {
            Matcher matcher = FORM.matcher(text);
            return matcher.lookingAt()
                    ? Optional.of(new ServerVersion(number(matcher, 1), number(matcher, 2), number(matcher, 3)))
                    : Optional.empty();
        }

        private static int number(Matcher matcher, int group) {
            return Integer.parseInt(matcher.group(group));
        }

        String line() {
            return major + "." + minor;
        }

        @Override
        public int compareTo(ServerVersion other) {
            int byMajor = Integer.compare(major, other.major);
            int byMinor = Integer.compare(minor, other.minor);
            return byMajor != 0 ? byMajor : byMinor != 0 ? byMinor : Integer.compare(patch, other.patch);
        }
    }

    /** Whether {@code version} has this defect. */
    boolean affects(ServerVersion version) {
        Integer fixed = fixedIn.get(version.line());
        if (fixed != null) {
            return version.patch < fixed;
        }
        return fixedVersions().anyMatch(other -> other.compareTo(version) > 0);
    }

    /** The next version without this defect. */
    String fix(ServerVersion version) {
        Integer fixed = fixedIn.get(version.line());
        return fixed != null
                ? version.line() + "." + fixed
                : fixedVersions()
                        .filter(other -> other.compareTo(version) > 0)
                        .min(ServerVersion::compareTo)
                        .map(other -> other.line() + "." + other.patch)
                        .orElseThrow();
    }

    private Stream<ServerVersion> fixedVersions() {
        return fixedIn.entrySet().stream()
                .flatMap(entry -> ServerVersion.parse(entry.getKey() + "." + entry.getValue()).stream());
    }
}
