// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import com.sun.management.GarbageCollectionNotificationInfo;
import io.millrace.lab.experiment.Sample.MemoryUse;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/** Watches heap and garbage collection of this JVM, one round at a time. Used by one thread. */
final class HeapWatch {

    private static final List<GarbageCollectorMXBean> COLLECTORS = ManagementFactory.getGarbageCollectorMXBeans();

    private final Set<String> heapPools = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getName)
            .collect(Collectors.toSet());

    /** Largest used heap after a collection of this round. Also written by the thread that sends notifications. */
    private final AtomicLong peakAfterCollection = new AtomicLong();

    private long collectionsBefore;
    private long millisBefore;

    HeapWatch() {
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
        collectionsBefore = collections();
        millisBefore = millis();
    }

    /** What the round used so far. */
    MemoryUse use() {
        long usedNow = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        return new MemoryUse(
                Math.max(usedNow, peakAfterCollection.get()),
                collections() - collectionsBefore,
                (millis() - millisBefore) / 1e3);
    }

    private static long collections() {
        return COLLECTORS.stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    private static long millis() {
        return COLLECTORS.stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }
}
