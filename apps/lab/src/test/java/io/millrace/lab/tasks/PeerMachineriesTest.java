// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.library.LeftThreads;
import io.millrace.lab.tasks.fs2.Fs2Machineries;
import io.millrace.lab.tasks.jox.JoxMachineries;
import io.millrace.lab.tasks.reactor.ReactorMachineries;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PeerMachineriesTest {

    /** A prime: neither producers nor chunks divide it. */
    private static final int TASKS = 2_003;

    record Peer(String name, Machinery machinery) {

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Peer> machineries() {
        return Stream.of(
                        named("fs2", Fs2Machineries.all()),
                        named("reactor", ReactorMachineries.all()),
                        named("jox", JoxMachineries.all()))
                .flatMap(List::stream);
    }

    @ParameterizedTest
    @MethodSource("machineries")
    void eachTaskIsDoneOnce(Peer peer) throws Exception {
        for (int producers : new int[] {1, 3, 4}) {
            for (int consumers : new int[] {1, 2, 8}) {
                var done = new AtomicIntegerArray(TASKS);

                peer.machinery.run(producers, consumers, TASKS, task -> done.incrementAndGet((int) task));

                assertThat(IntStream.range(0, TASKS).filter(task -> done.get(task) != 1))
                        .as("tasks not done once, with %d producers and %d consumers", producers, consumers)
                        .isEmpty();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("machineries")
    void noMoreTasksThanConsumersAreInWork(Peer peer) throws Exception {
        var atOnce = new AtomicInteger();
        var most = new AtomicInteger();

        peer.machinery.run(4, 1, 1_000, task -> {
            most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            Thread.onSpinWait();
            atOnce.decrementAndGet();
        });

        assertThat(most).hasValue(1);
    }

    @ParameterizedTest
    @MethodSource("machineries")
    void whatFailsIsThrown(Peer peer) {
        for (int broken : new int[] {0, 1_000, TASKS - 1}) {
            LongConsumer work = task -> {
                if (task == broken) {
                    throw new IllegalStateException("cannot be done: task=" + task);
                }
            };

            assertThatThrownBy(() -> peer.machinery.run(2, 8, TASKS, work))
                    .hasStackTraceContaining("cannot be done: task=" + broken);
        }
    }

    @ParameterizedTest
    @MethodSource("machineries")
    void noThreadIsLeft(Peer peer) throws Exception {
        var before = Thread.getAllStackTraces().keySet();

        peer.machinery.run(2, 8, 100, task -> {});

        assertThat(LeftThreads.since(before)).isEmpty();
    }

    private static List<Peer> named(String library, Map<String, Machinery> machineries) {
        return machineries.entrySet().stream()
                .map(machinery -> new Peer(library + "/" + machinery.getKey(), machinery.getValue()))
                .toList();
    }
}
