// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Whether processes have ended that may be nobody's children any more.
 *
 * <p>{@link ProcessHandle} takes a process for alive, and its {@code onExit} waits, until its parent has asked for its exit status. Where
 * the parent has ended before, that is for process 1 to do, and in many a container process 1 never does. What is left until then,
 * a zombie, is a line in a table: it has ended.
 */
public final class Processes {

    // Fields of a stat file, counted from the one behind the name.
    private static final int STATE = 0;
    private static final int THREADS = 17;

    private Processes() {}

    /** Whether it is gone, or a zombie; zombies are known on Linux only. */
    public static boolean hasEnded(ProcessHandle process) {
        return isZombie(process.pid()) || !process.isAlive();
    }

    /** Waits until it has ended; fails after {@code patience} and says what it does instead. */
    public static void awaitEnd(ProcessHandle process, Duration patience) {
        if (!Polling.until(() -> hasEnded(process), patience)) {
            String parent = process.parent().map(Processes::describe).orElse("none");
            throw new AssertionError("process has not ended after " + patience.toMillis() + " ms: " + describe(process)
                    + "; parent: " + parent);
        }
    }

    private static String describe(ProcessHandle process) {
        return process.info() + ", stat=" + stat(process.pid());
    }

    private static boolean isZombie(long pid) {
        List<String> fields = stat(pid);
        // Of several threads the first may have ended before the others; it looks like a zombie then.
        return fields.size() > THREADS
                && fields.get(STATE).equals("Z")
                && fields.get(THREADS).equals("1");
    }

    /** Empty if there is no such process, or no {@code /proc}. */
    private static List<String> stat(long pid) {
        try {
            String line = Files.readString(Path.of("/proc", Long.toString(pid), "stat"), ISO_8859_1);
            // The name stands in parentheses, and may have some of its own.
            return List.of(line.substring(line.lastIndexOf(')') + 1).strip().split(" "));
        } catch (IOException e) {
            return List.of();
        }
    }
}
