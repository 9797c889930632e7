// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;

/**
 * CPU that this JVM has used, all its threads together.
 *
 * @param seconds user and system
 * @param systemSeconds in ticks of 10 ms; empty on machines without a {@code /proc}
 */
record ProcessCpu(double seconds, OptionalDouble systemSeconds) {

    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final Path STAT = Path.of("/proc/self/stat");
    private static final double TICKS_PER_SECOND = 100; // the kernel reports in these, whatever it counts in
    private static final int SYSTEM_FIELD = 12; // counted after the program's name, which may hold anything

    static ProcessCpu now() {
        return new ProcessCpu(SYSTEM.getProcessCpuTime() / 1e9, system());
    }

    ProcessCpu minus(ProcessCpu earlier) {
        var system = systemSeconds.isPresent() && earlier.systemSeconds.isPresent()
                ? OptionalDouble.of(systemSeconds.getAsDouble() - earlier.systemSeconds.getAsDouble())
                : OptionalDouble.empty();
        return new ProcessCpu(seconds - earlier.seconds, system);
    }

    private static OptionalDouble system() {
        try {
            var stat = Files.readString(STAT);
            var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return OptionalDouble.of(Long.parseLong(fields[SYSTEM_FIELD]) / TICKS_PER_SECOND);
        } catch (IOException e) {
            return OptionalDouble.empty();
        }
    }
}
