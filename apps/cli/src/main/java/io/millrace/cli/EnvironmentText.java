// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Replaces {@code ${NAME}} in the values of a job file by the environment variable NAME. Such a value may be a password,
 * so no message shows it. A dollar sign before a dollar sign and a brace makes the brace literal: <code>$$&#123;</code>
 * is the text <code>$&#123;</code>.
 */
record EnvironmentText(StandardStreams standardStreams, SecretMasker secretMasker) {

    private static final Pattern PLACE = Pattern.compile("\\$(\\$\\{)|\\$\\{([^}]*)}?");
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /**
     * The text of {@code node} with the values of the variables.
     *
     * @throws UsageException if a variable is not set, or if its name is not legal
     */
    String of(YamlNode node, String what) {
        Matcher places = PLACE.matcher(node.text(what));
        StringBuilder text = new StringBuilder();
        while (places.find()) {
            String value = places.group(1) != null ? "${" : variable(node, places.group(2), places.group());
            places.appendReplacement(text, Matcher.quoteReplacement(value));
        }
        return places.appendTail(text).toString();
    }

    private String variable(YamlNode node, String name, String written) {
        if (!NAME.matcher(name).matches() || !written.endsWith("}")) {
            throw node.wrong("'" + written + "' names no environment variable. Write ${NAME}, or $${ for the text ${.");
        }
        String value = standardStreams
                .env(name)
                .orElseThrow(() -> node.wrong("the environment variable " + name + " is not set, or is empty."));
        secretMasker.add(value);
        secretMasker.addFrom(value);
        return value;
    }
}
