// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * JVMs of warm contenders that wait for the next run. A run of the lab keeps none: each starts its own JVMs. Tests that
 * do not measure set {@link Tools#KEEP_JVMS}, because most of their time is the start of JVMs.
 */
final class IdleJvms {

    private static final int MOST = 6;

    /** Guarded by the lock of the list. */
    private static final List<Idle> IDLE = new ArrayList<>();

    private record Idle(List<String> command, Process process) {}

    private IdleJvms() {}

    /** Takes an idle JVM that was started with {@code command}. */
    static Optional<Process> take(List<String> command) {
        if (!Boolean.getBoolean(Tools.KEEP_JVMS)) {
            return Optional.empty();
        }
        synchronized (IDLE) {
            IDLE.removeIf(idle -> !idle.process().isAlive());
            var found =
                    IDLE.stream().filter(idle -> idle.command().equals(command)).findFirst();
            found.ifPresent(IDLE::remove);
            return found.map(Idle::process);
        }
    }

    /** Keeps {@code process}, which has no contender open. Returns false if the caller must end it. */
    static boolean keep(List<String> command, Process process) {
        if (!Boolean.getBoolean(Tools.KEEP_JVMS)) {
            return false;
        }
        synchronized (IDLE) {
            return IDLE.size() < MOST && IDLE.add(new Idle(command, process));
        }
    }
}
