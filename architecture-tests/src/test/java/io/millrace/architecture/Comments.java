// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the comments of Java sources and the text of Markdown documents. Removes code and markup from the text. */
final class Comments {

    /**
     * Matches a comment or a literal (a string or a character). Literals are matched, because the content of a literal
     * may look like a comment.
     */
    private static final Pattern TOKEN = Pattern.compile(
            "\"\"\"(?s:.*?)\"\"\"" // text block
                    + "|\"(?:\\\\.|[^\"\\\\\\n])*\""
                    + "|'(?:\\\\.|[^'\\\\\\n])*'"
                    + "|(?<block>/\\*(?s:.*?)\\*/)"
                    + "|(?<lines>//[^\\n]*(?:\\n[ \\t]*//[^\\n]*)*)");

    private static final Pattern MARGIN = Pattern.compile("(?m)^[ \\t]*(?:/?\\*+/?|//)");
    private static final Pattern FENCE = Pattern.compile("(?ms)^```.*?^```$");
    private static final Pattern INDENTED = Pattern.compile("(?m)^ {4}.*$");

    private Comments() {}

    /**
     * A piece of prose.
     *
     * @param line line of the file on which the prose begins, from 1
     * @param text the prose without code, markup and line breaks
     */
    record Prose(int line, String text) {}

    /** The comments of a Java source. Line comments on adjacent lines are one comment. */
    static List<Prose> ofJava(String source) {
        List<Prose> comments = new ArrayList<>();
        Matcher token = TOKEN.matcher(source);
        while (token.find()) {
            String comment = token.group("block") == null ? token.group("lines") : token.group("block");
            if (comment != null && !comment.contains("SPDX-License-Identifier")) {
                comments.add(new Prose(lineAt(source, token.start()), proseOfComment(comment)));
            }
        }
        return comments;
    }

    /** The text of a Markdown document, without blocks of code. */
    static Prose ofMarkdown(String document) {
        String text = FENCE.matcher(document).replaceAll(" ");
        text = INDENTED.matcher(text).replaceAll(" ");
        text = text.replaceAll("(?s)<!--.*?-->", " ")
                .replaceAll("`[^`]*`", "X")
                .replaceAll("\\]\\([^)]*\\)", "]")
                .replaceAll("(?m)^(?:[#|*>-]|\\d+\\.)", ". ")
                .replace('|', '.');
        return new Prose(1, onOneLine(text));
    }

    private static String proseOfComment(String comment) {
        String text = MARGIN.matcher(comment).replaceAll(" ");
        text = text.replace("*/", " ")
                .replaceAll("(?s)<pre>.*?</pre>", " ")
                .replaceAll("(?s)\\{@snippet.*?\\n\\s*}", " ")
                .replaceAll("\\{@(?:code|link|linkplain|literal|value)\\s+[^}]*}", "X")
                .replaceAll("@return\\b", ". ")
                .replaceAll("@(?:param|throws|see|since)\\s*\\S*", ". ")
                .replaceAll("<[^>]+>", " ")
                .replaceAll("https?://\\S+", " ");
        return onOneLine(text);
    }

    private static String onOneLine(String text) {
        return text.replaceAll("\\s+", " ").strip();
    }

    private static int lineAt(String source, int offset) {
        return 1
                + (int) source.substring(0, offset)
                        .chars()
                        .filter(c -> c == '\n')
                        .count();
    }
}
