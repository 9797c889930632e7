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
public record ProcessCpu(double seconds, OptionalDouble systemSeconds) {

    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final Path STAT = Path.of("/proc/self/stat");
    private static final double TICKS_PER_SECOND = 100; // the kernel reports in these, whatever it counts in
    private static final int SYSTEM_FIELD = 12; // counted after the program's name, which may hold anything

    /** Of no process. */
    public static final ProcessCpu NONE = new ProcessCpu(0, OptionalDouble.of(0));

    /** Since this JVM was started. */
    public static ProcessCpu now() {
        return new ProcessCpu(SYSTEM.getProcessCpuTime() / 1e9, system());
    }

    /** What came to it since it was {@code earlier}. */
    public ProcessCpu minus(ProcessCpu earlier) {
        return with(earlier, -1);
    }

    /** This and {@code other} together. */
    ProcessCpu plus(ProcessCpu other) {
        return with(other, 1);
    }

    private ProcessCpu with(ProcessCpu other, int times) {
        var system = systemSeconds.isPresent() && other.systemSeconds.isPresent()
                ? OptionalDouble.of(systemSeconds.getAsDouble() + times * other.systemSeconds.getAsDouble())
                : OptionalDouble.empty();
        return new ProcessCpu(seconds + times * other.seconds, system);
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
