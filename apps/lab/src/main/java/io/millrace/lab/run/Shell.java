// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The shell under which whole processes run: it alone is waited for by this JVM, and its {@code times} tells what its
 * ended children took, which a JVM cannot ask for. It adds a millisecond or two of wall time, to every such contender
 * alike.
 */
final class Shell {

    static final String TIMES_VARIABLE = "MILLRACE_LAB_TIMES";

    private static final String SCRIPT = "\"$@\"; code=$?; times > \"$" + TIMES_VARIABLE + "\"; exit $code";
    private static final Pattern TIME = Pattern.compile("(\\d+)m(\\d+)[.,](\\d+)s");

    /** User and system CPU of the children of a shell, in seconds. */
    record Times(double user, double system) {}

    /** Wraps {@code command} so that its CPU is written to the file that {@link #TIMES_VARIABLE} names. */
    static List<String> wrap(List<String> command) {
        // bash counts in microseconds where other shells count in ticks of 10 ms.
        var shell = Tools.find("bash")
                .or(() -> Tools.find("sh"))
                .map(Path::toString)
                .orElse("/bin/sh");
        var wrapped = new ArrayList<>(List.of(shell, "-c", SCRIPT, "millrace-lab"));
        wrapped.addAll(command);
        return wrapped;
    }

    /** Reads what {@code times} wrote: a line for the shell, then a line for its children. */
    static Times parse(String text) {
        var lines = text.lines().toList();
        var children = lines.size() < 2
                ? List.<Double>of()
                : TIME.matcher(lines.get(1)).results().map(Shell::seconds).toList();
        if (children.size() != 2) {
            throw new LabException(
                    "the shell's times cannot be read: " + text.strip().replace("\n", " | "));
        }
        return new Times(children.get(0), children.get(1));
    }

    private static double seconds(MatchResult time) {
        return 60 * Integer.parseInt(time.group(1)) + Double.parseDouble(time.group(2) + "." + time.group(3));
    }

    private Shell() {}
}
