// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counts how often a text contains a language form that {@code docs/style.md} lists.
 *
 * @param forms all forms of the list
 */
record PlainEnglish(List<Form> forms) {

    /** Limit of {@link Count#perThousandWords}. */
    static final double LIMIT = 1.5;

    private static final Pattern SECTION = Pattern.compile("(?m)^### (.+)\\n\\n    (.+)\\n\\n((?:\\* .+\\n)+)");
    private static final Pattern WORD = Pattern.compile("[A-Za-z][A-Za-z'-]*");

    /**
     * A form of literary English, such as an inversion. Comments and documents should not use it.
     *
     * @param pattern matches the form in a text without line breaks
     * @param bad sentences with the form
     * @param good the same sentences in plain English
     */
    record Form(String name, Pattern pattern, List<String> bad, List<String> good) {}

    /**
     * The forms in a text.
     *
     * @param words number of words of the text
     * @param hits each form that was found, with the text around it
     */
    record Count(int words, List<String> hits) {

        double perThousandWords() {
            return words == 0 ? 0 : 1000.0 * hits.size() / words;
        }

        Count plus(Count other) {
            List<String> both = new ArrayList<>(hits);
            both.addAll(other.hits);
            return new Count(words + other.words, both);
        }
    }

    /** Reads the forms from the text of {@code docs/style.md}. */
    static PlainEnglish of(String style) {
        List<Form> forms = new ArrayList<>();
        Matcher section = SECTION.matcher(style);
        while (section.find()) {
            forms.add(new Form(
                    section.group(1),
                    Pattern.compile(section.group(2)),
                    examples(section.group(3), "* not: "),
                    examples(section.group(3), "* but: ")));
        }
        return new PlainEnglish(List.copyOf(forms));
    }

    private static List<String> examples(String list, String prefix) {
        return list.lines()
                .filter(line -> line.startsWith(prefix))
                .map(line -> line.substring(prefix.length()))
                .toList();
    }

    /**
     * Counts the forms in {@code text}, a text without line breaks.
     *
     * @param source file and line, with which the description of each hit begins
     */
    Count count(String source, String text) {
        List<String> hits = new ArrayList<>();
        for (Form form : forms) {
            Matcher matcher = form.pattern().matcher(text);
            while (matcher.find()) {
                String around =
                        text.substring(Math.max(0, matcher.start() - 40), Math.min(text.length(), matcher.end() + 30));
                hits.add(source + ": " + form.name() + ": ... " + around.strip() + " ...");
            }
        }
        return new Count((int) WORD.matcher(text).results().count(), hits);
    }
}
