// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import com.sun.management.OperatingSystemMXBean;
import io.millrace.lab.server.CpuTime;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the CPU time of this JVM. */
final class ProcessCpu {

    private static final Path STAT = Path.of("/proc/self/stat");

    /** The kernel reports in ticks of 10 ms, independent of its internal resolution. */
    private static final double TICK_SECONDS = 0.01;

    /** Field numbers after the name of the program, which is in parentheses and may contain spaces. */
    private static final int USER_FIELD = 11;

    private static final int SYSTEM_FIELD = 12;

    private ProcessCpu() {}

    /** CPU time of all threads since this JVM started. Without {@code /proc}, all CPU time counts as user time. */
    static CpuTime now() {
        try {
            String stat = Files.readString(STAT);
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return new CpuTime(
                    Long.parseLong(fields[USER_FIELD]) * TICK_SECONDS,
                    Long.parseLong(fields[SYSTEM_FIELD]) * TICK_SECONDS,
                    TICK_SECONDS);
        } catch (IOException e) {
            var system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
            return new CpuTime(system.getProcessCpuTime() / 1e9, 0, TICK_SECONDS);
        }
    }
}
