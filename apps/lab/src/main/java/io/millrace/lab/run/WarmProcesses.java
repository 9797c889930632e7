// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.HashMap;
import java.util.Map;

/**
 * The JVMs of the warm contenders of one workload, or of several, each started when the first of those that share it is opened.
 * Used by one thread.
 */
public final class WarmProcesses implements AutoCloseable {

    private final Map<String, WarmProcess> byName = new HashMap<>();

    /** Opens {@code contender} in its JVM. */
    Entrant open(WarmContender contender, Task task) {
        if (contender.isFreshEachRound()) {
            return new Fresh(contender, task);
        }
        var process = byName.computeIfAbsent(contender.jvm(), name -> WarmProcess.start(contender));
        process.open(task);
        return new Guest(process, contender.label());
    }

    /** One of those that live in a JVM. */
    private record Guest(WarmProcess process, String label) implements Entrant {

        @Override
        public Measured round() {
            return process.round(label);
        }

        @Override
        public void close() {
            process.close(label);
        }
    }

    /** A new JVM for each round; its start and its opening are not timed. */
    private record Fresh(WarmContender contender, Task task) implements Entrant {

        @Override
        public Measured round() {
            try (var process = WarmProcess.start(contender)) {
                process.open(task);
                return process.round(contender.label());
            }
        }
    }

    @Override
    public void close() {
        byName.values().forEach(WarmProcess::close);
    }
}
