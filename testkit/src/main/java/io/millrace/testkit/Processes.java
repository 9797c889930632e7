// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Finds out whether a process has ended, even if its parent process has ended before it.
 *
 * <p>A process that has ended stays in the process table as a zombie until its parent reads the exit status. If the
 * parent ended first, process 1 must read the status. In many containers process 1 never reads it, so the zombie stays.
 * {@link ProcessHandle} reports a zombie as alive, and its {@code onExit} does not complete. This class counts a zombie
 * as ended.
 */
public final class Processes {

    // Indexes of fields in the file /proc/PID/stat. Index 0 is the first field after the process name.
    private static final int STATE = 0;
    private static final int THREADS = 17;

    private static final String PERL_DEFAULT_SIGNALS =
            "$SIG{$_} = 'DEFAULT' for qw(HUP INT QUIT TERM); exec {$ARGV[0]} @ARGV or die $!";

    private Processes() {}

    /**
     * Returns a command line that first resets SIGHUP, SIGINT, SIGQUIT and SIGTERM to their default actions, and then
     * runs {@code command}. The process id stays the same.
     *
     * <p>A process inherits the signals that its parent ignores. For example, a background job of a shell script
     * ignores SIGINT, and a process under {@code nohup} ignores SIGHUP. A JVM installs no handler for a signal that was
     * ignored when the JVM started. Some tests send signals to a JVM. They start the JVM with this command line, so
     * that they also pass if the build process ignores these signals.
     *
     * @return {@code command} without a change if the system has neither {@code env} of GNU coreutils 8.31 or later nor
     *     {@code perl}
     */
    public static List<String> withDefaultSignals(List<String> command) {
        List<String> line = new ArrayList<>(SignalReset.PREFIX);
        line.addAll(command);
        return List.copyOf(line);
    }

    /** Holds the prefix of the command line. The prefix is determined once, when a test first needs it. */
    private static final class SignalReset {

        static final List<String> PREFIX = Stream.of(
                        List.of("env", "--default-signal=HUP,INT,QUIT,TERM"),
                        List.of("perl", "-e", PERL_DEFAULT_SIGNALS, "--"))
                .filter(SignalReset::works)
                .findFirst()
                .orElse(List.of());

        private static boolean works(List<String> prefix) {
            List<String> line = new ArrayList<>(prefix);
            line.add("true");
            try {
                return new ProcessBuilder(line)
                                .redirectErrorStream(true)
                                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                                .start()
                                .waitFor()
                        == 0;
            } catch (IOException missing) {
                return false;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }

    /** Whether the process has ended. A zombie counts as ended, but zombies are recognized on Linux only. */
    public static boolean hasEnded(ProcessHandle process) {
        return isZombie(process.pid()) || !process.isAlive();
    }

    /**
     * Waits until the process has ended. If it has not ended after {@code timeout}, throws an {@link AssertionError}
     * whose message describes the process and its parent.
     */
    public static void awaitEnd(ProcessHandle process, Duration timeout) {
        if (!Polling.until(() -> hasEnded(process), timeout)) {
            String parent = process.parent().map(Processes::describe).orElse("none");
            throw new AssertionError("process has not ended after " + timeout.toMillis() + " ms: " + describe(process)
                    + "; parent: " + parent);
        }
    }

    private static String describe(ProcessHandle process) {
        return process.info() + ", stat=" + stat(process.pid());
    }

    private static boolean isZombie(long pid) {
        List<String> fields = stat(pid);
        // The state Z alone does not prove that the process has ended. It also appears if only the first thread has
        // ended and other threads still run.
        return fields.size() > THREADS
                && fields.get(STATE).equals("Z")
                && fields.get(THREADS).equals("1");
    }

    /** The fields of the stat file after the process name. Empty if the process or {@code /proc} does not exist. */
    private static List<String> stat(long pid) {
        try {
            String line = Files.readString(Path.of("/proc", Long.toString(pid), "stat"), ISO_8859_1);
            // The process name is in parentheses, and the name itself may contain parentheses.
            return List.of(line.substring(line.lastIndexOf(')') + 1).strip().split(" "));
        } catch (IOException e) {
            return List.of();
        }
    }
}
