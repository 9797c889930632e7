// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Finds relative links in Markdown documents whose file or anchor does not exist. */
final class DocumentLinks {

    private static final Pattern FENCE = Pattern.compile("(?ms)^```.*?^```$");
    private static final Pattern CODE = Pattern.compile("`[^`\\n]*`");
    private static final Pattern LINK = Pattern.compile("]\\((?<target>[^)\\s]+)\\)");
    private static final Pattern EXTERNAL = Pattern.compile("[a-z][a-z+.-]*:.*");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(?<text>.*)$");

    private DocumentLinks() {}

    /** The broken links of {@code document}, each with its reason. */
    static List<String> brokenIn(Path document) {
        List<String> broken = new ArrayList<>();
        Matcher link = LINK.matcher(withoutCode(read(document)));
        while (link.find()) {
            String target = link.group("target");
            if (!EXTERNAL.matcher(target).matches()) {
                String reason = reasonAgainst(document, target);
                if (!reason.isEmpty()) {
                    broken.add(target + ": " + reason);
                }
            }
        }
        return broken;
    }

    private static String reasonAgainst(Path document, String target) {
        int hash = target.indexOf('#');
        String path = hash < 0 ? target : target.substring(0, hash);
        Path file = path.isEmpty() ? document : document.resolveSibling(path).normalize();
        if (!Files.exists(file)) {
            return "no such file";
        }
        if (hash < 0) {
            return "";
        }
        if (!file.toString().endsWith(".md")) {
            return "an anchor in a file that is not Markdown";
        }
        return anchorsOf(read(file)).contains(target.substring(hash + 1)) ? "" : "no such heading";
    }

    /**
     * The anchors that GitHub creates for the headings of {@code text}. Not included: the numbers that GitHub adds to
     * the anchors of repeated headings.
     */
    static Set<String> anchorsOf(String text) {
        return HEADING.matcher(FENCE.matcher(text).replaceAll(""))
                .results()
                .map(DocumentLinks::anchor)
                .collect(Collectors.toSet());
    }

    private static String anchor(MatchResult heading) {
        return heading.group(1)
                .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                .strip()
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                .replace(' ', '-');
    }

    private static String withoutCode(String text) {
        return CODE.matcher(FENCE.matcher(text).replaceAll("")).replaceAll("");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
