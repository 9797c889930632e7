// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.Near.Ticket;
import io.millrace.testkit.interleave.Exploration;
import io.millrace.testkit.interleave.Interleaved;
import io.millrace.testkit.interleave.Schedule;
import io.millrace.testkit.interleave.Schedules;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Readers, a writer and a network, in thousands of seeded schedules: nobody is served what he was told is out of date. */
class NearScheduleTest {

    private static final int SCHEDULES = 3_000;
    private static final int VERSIONS = 3;

    @ParameterizedTest
    @ValueSource(classes = {Writes.class, Losses.class})
    void whatIsServedIsNeverOlderThanWhatWasTold(Class<? extends Interleaved> scenario) {
        Exploration exploration = Schedules.of(scenario).explore(SCHEDULES);

        assertThat(exploration.outcomes()).containsKeys("served", "asked");
    }

    /** Three versions are written, and told some time later, each or several at once. */
    static class Writes implements Interleaved {
        @Override
        public void run(Schedule schedule) {
            Model model = new Model(schedule);
            schedule.thread("network", () -> {
                for (int version = 1; version <= VERSIONS; version++) {
                    while (model.written.get() < version) {
                        Thread.onSpinWait();
                    }
                    model.tracking.tell("name:k", "name:other");
                    model.told.set(version);
                }
            });
            model.run();
        }
    }

    /** What is written while the connection is gone is not told but as everything. */
    static class Losses implements Interleaved {
        @Override
        public void run(Schedule schedule) {
            Model model = new Model(schedule);
            schedule.thread("network", () -> {
                for (int i = 0; i < 2; i++) {
                    model.tracking.lose();
                    int seen = model.written.get();
                    model.tracking.establish();
                    model.told.set(seen);
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

    /** A server with one key, two readers that have a near cache in common, and a writer. */
    private static final class Model {

        private final Schedule schedule;
        private final ToldByHand tracking = new ToldByHand();
        private final Near<Integer> near = new TrackedNear<>(tracking, "name:", new ConcurrentHashMap<>());
        private final AtomicInteger written = new AtomicInteger();

        /** Up to which version it was told. */
        private final AtomicInteger told = new AtomicInteger();

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

            Entry<Integer> left = near.find("k");
            assertThat(left == null ? VERSIONS : left.present()).isEqualTo(VERSIONS);
        }

        private void read() {
            int atLeast = told.get();
            Entry<Integer> found = near.find("k");
            if (found != null) {
                schedule.outcome("served");
                assertThat(found.present()).isGreaterThanOrEqualTo(atLeast);
            } else {
                schedule.outcome("asked");
                Ticket ticket = near.begin("k");
                near.keep(ticket, Entries.of(written.get()));
            }
        }
    }
}
