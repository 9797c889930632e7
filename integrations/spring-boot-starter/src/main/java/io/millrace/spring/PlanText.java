// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of a {@link LoadPlan}, by which the instances of a fleet recognize the same plan: the source, the target, and
 * the options that decide which rows are written. The speed of the load is not part of the text.
 */
final class PlanText {

    /**
     * A text of {@code Object.toString}: the name of a class in a package, or an array, and a hash that differs in each
     * process.
     */
    private static final Pattern ADDRESS = Pattern.compile(
            "(?:(?:[\\w$]+\\.)+[\\w$]+(?:/0x[0-9a-f]+)?|\\[+(?:[BCDFIJSZ]|L[\\w$.]+;))@[0-9a-f]{1,8}(?![\\w.])");

    private PlanText() {}

    static String of(LoadPlan plan) {
        LoadOptions options = plan.options();
        return String.join(
                "\n",
                plan.source().getClass().getName() + " " + plan.source().name() + " " + plan.source(),
                plan.target().toString(),
                "limit=" + options.limit(),
                "reload=" + options.reload(),
                "verify=" + options.verify(),
                "onError=" + options.onError() + "," + options.maxErrors(),
                "dryRun=" + options.dryRun());
    }

    /**
     * Refuses a plan whose text differs in each process, because each instance of a fleet would load.
     *
     * @param key key that needs the text
     * @throws KeyException if the source or the target has no text, or if its text contains the address of an object
     */
    static void requireStable(LoadPlan plan, String key) {
        requireStable(
                "source",
                plan.source(),
                "a toString that names its rows, without objects such as the data source",
                key);
        requireStable("target", plan.target(), "a toString that names its keys and values", key);
    }

    private static void requireStable(String part, Object object, String remedy, String key) {
        Matcher address = ADDRESS.matcher(object.toString());
        if (address.find()) {
            throw new KeyException(
                    key + " cannot be used: the text of the " + part + " differs in each process: class="
                            + object.getClass().getName() + ", text contains " + address.group(),
                    "Give the class " + remedy + ", or remove the key.");
        }
    }
}
