// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** Describes the threads of a failed schedule. */
final class ThreadDump {

    private static final int DEPTH = 12;

    private ThreadDump() {}

    /** Returns a text for each thread: its state, its site, and the part of its stack that is in woven code. */
    static List<String> describe(List<ScheduledThread> tasks, long now) {
        return tasks.stream()
                .map(scheduledThread -> scheduledThread.name + ": " + scheduledThread.state(now)
                        + (scheduledThread.isLive() ? stack(scheduledThread) : ""))
                .toList();
    }

    private static String stack(ScheduledThread scheduledThread) {
        return Arrays.stream(scheduledThread.thread().getStackTrace())
                .filter(frame -> Objects.equals(frame.getClassLoaderName(), WeavingLoader.NAME))
                .limit(DEPTH)
                .map(frame -> "\n      at " + frame.getClassName() + "." + frame.getMethodName() + "("
                        + frame.getFileName() + ":" + frame.getLineNumber() + ")")
                .collect(Collectors.joining());
    }
}
