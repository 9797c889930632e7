// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** The most memory that the children of a shell were seen to hold, where the machine has a {@code /proc}. */
final class ResidentMemory {

    private long peakKibibytes;

    /** Looks at the descendants of {@code shell}. */
    void lookAt(Process shell) {
        long now = shell.descendants()
                .mapToLong(child -> peak(child.pid()).orElse(0))
                .sum();
        peakKibibytes = Math.max(peakKibibytes, now);
    }

    /** Empty if nothing was seen. */
    OptionalDouble peakMebibytes() {
        return peakKibibytes == 0 ? OptionalDouble.empty() : OptionalDouble.of(peakKibibytes / 1024.0);
    }

    private static OptionalLong peak(long pid) {
        try (var lines = Files.lines(Path.of("/proc", Long.toString(pid), "status"))) {
            return lines.filter(line -> line.startsWith("VmHWM:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .findFirst();
        } catch (IOException e) {
            return OptionalLong.empty(); // no /proc, or the child has just ended
        }
    }
}
