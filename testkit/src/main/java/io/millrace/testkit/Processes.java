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
 * Tells whether a process has ended, even if its parent process is gone.
 *
 * <p>{@link ProcessHandle} reports a process as alive, and its {@code onExit} waits, until the parent has read the exit
 * status. If the parent ended first, process 1 must read the status, and in many containers process 1 never does. The
 * process is then a zombie, an entry in the process table only: it has ended.
 */
public final class Processes {

    // Fields of a stat file, counted from the first field after the name.
    private static final int STATE = 0;
    private static final int THREADS = 17;

    private static final String PERL_DEFAULT_SIGNALS =
            "$SIG{$_} = 'DEFAULT' for qw(HUP INT QUIT TERM); exec {$ARGV[0]} @ARGV or die $!";

    private Processes() {}

    /**
     * Returns a command line that runs {@code command} with the default action of SIGHUP, SIGINT, SIGQUIT and SIGTERM.
     * The command has the same process id as the started process.
     *
     * <p>A process inherits ignored signals: SIGINT in a background job of a shell script, SIGHUP under {@code nohup}.
     * A JVM installs no handler for a signal that was ignored at its start. Tests that send signals to a JVM start the
     * JVM with this command line, so that they also pass in a build that ignores these signals.
     *
     * @return {@code command} itself if there is neither {@code env} of GNU coreutils 8.31 or later nor {@code perl}
     */
    public static List<String> withDefaultSignals(List<String> command) {
        List<String> line = new ArrayList<>(SignalReset.PREFIX);
        line.addAll(command);
        return List.copyOf(line);
    }

    /** Finds the command prefix once, and only if a test needs it. */
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

    /** Whether the process is gone or a zombie. Zombies are recognized on Linux only. */
    public static boolean hasEnded(ProcessHandle process) {
        return isZombie(process.pid()) || !process.isAlive();
    }

    /** Waits until the process has ended. Fails after {@code timeout}, with the state of the process in the message. */
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
        // The first thread of a process may end before the other threads. The process then looks like a zombie.
        return fields.size() > THREADS
                && fields.get(STATE).equals("Z")
                && fields.get(THREADS).equals("1");
    }

    /** Empty if there is no such process or no {@code /proc}. */
    private static List<String> stat(long pid) {
        try {
            String line = Files.readString(Path.of("/proc", Long.toString(pid), "stat"), ISO_8859_1);
            // The name is in parentheses and may contain parentheses.
            return List.of(line.substring(line.lastIndexOf(')') + 1).strip().split(" "));
        } catch (IOException e) {
            return List.of();
        }
    }
}
