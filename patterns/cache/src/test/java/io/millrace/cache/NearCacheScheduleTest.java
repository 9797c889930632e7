// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.NearCache.PendingRead;
import io.millrace.testkit.interleave.ExplorationStats;
import io.millrace.testkit.interleave.InterleavingScenario;
import io.millrace.testkit.interleave.Schedule;
import io.millrace.testkit.interleave.Schedules;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs readers, a writer and a network in thousands of seeded schedules. A reader must not get an entry that is older
 * than an invalidation that arrived before the read.
 */
class NearCacheScheduleTest {

    private static final int SCHEDULES = Integer.getInteger("millrace.schedules", 600);
    private static final int VERSIONS = 3;

    @ParameterizedTest
    @ValueSource(classes = {Writes.class, ConnectionLosses.class})
    void servedEntryIsNotOlderThanTheLastInvalidation(Class<? extends InterleavingScenario> scenario) {
        ExplorationStats explorationStats = Schedules.of(scenario).explore(SCHEDULES);

        assertThat(explorationStats.outcomes()).containsKeys("served", "read");
    }

    /** The writer writes three versions. The invalidations arrive later, one by one or several together. */
    static class Writes implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            Model model = new Model(schedule);
            schedule.thread("network", () -> {
                for (int version = 1; version <= VERSIONS; version++) {
                    while (model.written.get() < version) {
                        Thread.onSpinWait();
                    }
                    model.tracking.invalidate("name:k", "name:other");
                    model.invalidated.set(version);
                }
            });
            model.run();
        }
    }

    /** The writer also writes during a connection loss. For these writes, only an invalidation of all keys arrives. */
    static class ConnectionLosses implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            Model model = new Model(schedule);
            schedule.thread("network", () -> {
                for (int i = 0; i < 2; i++) {
                    model.tracking.lose();
                    int seen = model.written.get();
                    model.tracking.establish();
                    model.invalidated.set(seen);
                }
                while (model.written.get() < VERSIONS) {
                    Thread.onSpinWait();
                }
                model.tracking.lose();
                model.tracking.establish();
            });
            model.run();
        }
    }

    /** A server with one key, two readers that share a near cache, and a writer. */
    private static final class Model {

        private final Schedule schedule;
        private final ManualTracking tracking = new ManualTracking();
        private final NearCache<Integer> nearCache =
                new TrackedNearCache<>(tracking, "name:", new ConcurrentHashMap<>());
        private final AtomicInteger written = new AtomicInteger();

        /** The last version whose invalidation has arrived. */
        private final AtomicInteger invalidated = new AtomicInteger();

        private Model(Schedule schedule) {
            this.schedule = schedule;
        }

        private void run() {
            schedule.thread("writer", () -> {
                for (int version = 1; version <= VERSIONS; version++) {
                    written.set(version);
                }
            });
            for (int reader = 0; reader < 2; reader++) {
                schedule.thread("reader " + reader, () -> {
                    for (int i = 0; i < 3; i++) {
                        read();
                    }
                });
            }
            schedule.join();

            Entry<Integer> kept = nearCache.find("k");
            assertThat(kept == null ? VERSIONS : kept.requireValue()).isEqualTo(VERSIONS);
        }

        private void read() {
            int atLeast = invalidated.get();
            Entry<Integer> found = nearCache.find("k");
            if (found != null) {
                schedule.outcome("served");
                assertThat(found.requireValue()).isGreaterThanOrEqualTo(atLeast);
            } else {
                schedule.outcome("read");
                PendingRead ticket = nearCache.beginRead("k");
                nearCache.completeRead(ticket, TestEntries.of(written.get()));
            }
        }
    }
}
