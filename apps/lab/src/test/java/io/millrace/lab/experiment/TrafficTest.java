// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.library.Counters;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TrafficTest {

    private static final Duration TIME = Duration.ofMillis(100);

    static List<Traffic> all() {
        return Traffic.ALL;
    }

    private static Traffic named(String name) {
        return Traffic.ALL.stream()
                .filter(traffic -> traffic.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /**
     * Settles each command on a thread of its own, every third as refused; holds back a flood that gets ahead of it.
     */
    private static final class Imaginary implements Counters {

        private final AtomicLong sent = new AtomicLong();
        private final ExecutorService replies = Executors.newVirtualThreadPerTaskExecutor();
        private final Semaphore window = new Semaphore(100);

        private Ending next(String key) {
            assertThat(key).startsWith("millrace-lab:counter:");
            return sent.incrementAndGet() % 3 == 0 ? Ending.REFUSED : Ending.OK;
        }

        @Override
        public Ending increment(String key) {
            return next(key);
        }

        @Override
        public void send(String key, Consumer<Ending> settled) {
            var ending = next(key);
            window.acquireUninterruptibly();
            replies.execute(() -> {
                window.release();
                settled.accept(ending);
            });
        }

        /** Returns when every reply has been given. */
        @Override
        public void close() {
            replies.close();
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void everyCommandIsAccountedForOnceByWhoeverIssuesIt(Traffic traffic) throws Exception {
        var clients = Stream.generate(Imaginary::new).limit(traffic.clients()).toList();
        var totals = new Totals();

        traffic.run(List.copyOf(clients), totals, TIME);
        clients.forEach(Imaginary::close);

        long sent = clients.stream().mapToLong(client -> client.sent.get()).sum();
        long refused =
                clients.stream().mapToLong(client -> client.sent.get() / 3).sum();
        assertThat(clients).allSatisfy(client -> assertThat(client.sent).hasPositiveValue());
        assertThat(totals.issued()).isEqualTo(sent);
        assertThat(totals.pending()).isZero();
        assertThat(totals.outcomes().ok()).isEqualTo(sent - refused);
        assertThat(totals.outcomes().refused()).isEqualTo(refused);
    }

    @Test
    void aSteadyRateIsKeptAndNotExceeded() throws Exception {
        var client = new Imaginary();
        var totals = new Totals();

        long start = System.nanoTime();
        named("steady-rate").run(List.of(client), totals, TIME);
        long millis = (System.nanoTime() - start) / 1_000_000;
        client.close();

        assertThat(totals.issued()).isBetween(10L, 10 * (millis + 1));
    }

    @Test
    void tenCallbacksBlockForTheTimeLimitEach() throws Exception {
        var client = new Imaginary();
        var totals = new Totals();

        named("blocking-callbacks").run(List.of(client), totals, TIME);
        long pendingAtOnce = totals.pending();
        client.close();

        assertThat(pendingAtOnce).isGreaterThanOrEqualTo(9);
        assertThat(totals.issued()).isEqualTo(10);
        assertThat(totals.pending()).isZero();
    }
}
