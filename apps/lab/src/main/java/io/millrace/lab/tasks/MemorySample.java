// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * Threads and memory of this JVM at one moment.
 *
 * @param threads live platform threads
 * @param heapMegabytes used heap, with garbage
 * @param rssMegabytes resident memory of the process, which includes thread stacks; empty on a system without /proc
 */
record MemorySample(int threads, double heapMegabytes, OptionalDouble rssMegabytes) {

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RSS = "VmRSS:";

    static MemorySample now() {
        return new MemorySample(
                ManagementFactory.getThreadMXBean().getThreadCount(),
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1e6,
                rss());
    }

    /** The line is such as {@code VmRSS: 123456 kB}, in units of 1,024 bytes. */
    private static OptionalDouble rss() {
        if (!Files.exists(STATUS)) {
            return OptionalDouble.empty();
        }
        try (Stream<String> lines = Files.lines(STATUS)) {
            return lines.filter(line -> line.startsWith(RSS))
                    .mapToDouble(line -> Long.parseLong(line.substring(RSS.length())
                                    .replace("kB", "")
                                    .strip())
                            * 1_024
                            / 1e6)
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
