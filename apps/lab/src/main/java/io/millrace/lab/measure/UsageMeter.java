// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.OperatingSystemMXBean;
import io.millrace.lab.experiment.Sample.MemoryUse;
import io.millrace.lab.server.CpuTime;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/** Reads CPU time, heap and garbage collection of this JVM, one round at a time. Used by one thread. */
final class UsageMeter {

    /** The kernel reports CPU time in ticks of 10 ms, independent of its internal resolution. */
    private static final double TICK_SECONDS = 0.01;

    /** The position of the user time after the program name in {@code /proc/self/stat}. The system time follows. */
    private static final int USER_FIELD = 11;

    private static final List<GarbageCollectorMXBean> COLLECTORS = ManagementFactory.getGarbageCollectorMXBeans();

    private final Set<String> heapPools = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getName)
            .collect(Collectors.toSet());

    /** Largest used heap after a collection of this round. Also written by the thread that sends notifications. */
    private final AtomicLong peakAfterCollection = new AtomicLong();

    private long collectionsBefore;
    private long millisBefore;

    UsageMeter() {
        for (GarbageCollectorMXBean collector : COLLECTORS) {
            ((NotificationEmitter) collector)
                    .addNotificationListener((notification, handback) -> note(notification), null, null);
        }
    }

    private void note(Notification notification) {
        if (notification.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
            var after = GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData())
                    .getGcInfo()
                    .getMemoryUsageAfterGc();
            long used = after.entrySet().stream()
                    .filter(pool -> heapPools.contains(pool.getKey()))
                    .mapToLong(pool -> pool.getValue().getUsed())
                    .sum();
            peakAfterCollection.accumulateAndGet(used, Math::max);
        }
    }

    /** Starts a round. */
    void start() {
        peakAfterCollection.set(0);
        collectionsBefore = sum(GarbageCollectorMXBean::getCollectionCount);
        millisBefore = sum(GarbageCollectorMXBean::getCollectionTime);
    }

    /** The memory that the round used so far. */
    MemoryUse memory() {
        long usedNow = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        return new MemoryUse(
                Math.max(usedNow, peakAfterCollection.get()),
                sum(GarbageCollectorMXBean::getCollectionCount) - collectionsBefore,
                (sum(GarbageCollectorMXBean::getCollectionTime) - millisBefore) / 1e3);
    }

    private static long sum(ToLongFunction<GarbageCollectorMXBean> figure) {
        return COLLECTORS.stream().mapToLong(figure).sum();
    }

    /** CPU time of all threads since this JVM started. Without {@code /proc}, all CPU time counts as user time. */
    static CpuTime cpu() {
        try {
            String stat = Files.readString(Path.of("/proc/self/stat"));
            // The program name is in parentheses and may contain spaces.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return new CpuTime(
                    Long.parseLong(fields[USER_FIELD]) * TICK_SECONDS,
                    Long.parseLong(fields[USER_FIELD + 1]) * TICK_SECONDS,
                    TICK_SECONDS);
        } catch (IOException e) {
            var system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
            return new CpuTime(system.getProcessCpuTime() / 1e9, 0, TICK_SECONDS);
        }
    }
}
