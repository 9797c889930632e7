// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** The threads of a failed schedule in words. */
final class Threads {

    private static final int DEPTH = 12;

    private Threads() {}

    /** A line per thread: its state, and where in woven code it stands. */
    static List<String> describe(List<Task> tasks, long now) {
        return tasks.stream()
                .map(task -> task.name + ": " + task.state(now) + (task.isLive() ? stack(task) : ""))
                .toList();
    }

    private static String stack(Task task) {
        return Arrays.stream(task.thread().getStackTrace())
                .filter(frame -> Objects.equals(frame.getClassLoaderName(), WeavingLoader.NAME))
                .limit(DEPTH)
                .map(frame -> "\n      at " + frame.getClassName() + "." + frame.getMethodName() + "("
                        + frame.getFileName() + ":" + frame.getLineNumber() + ")")
                .collect(Collectors.joining());
    }
}
