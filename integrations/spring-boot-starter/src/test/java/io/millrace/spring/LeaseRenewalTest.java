// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.Polling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadLeft.class)
class LeaseRenewalTest {

    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger losses = new AtomicInteger();
    private final List<Throwable> failures = new ArrayList<>();

    @Test
    void endWaitsForARenewalThatRuns() throws Exception {
        CountDownLatch reply = new CountDownLatch(1);
        LeaseRenewal renewal = new LeaseRenewal(() -> awaited(reply), losses::incrementAndGet, failures::add);
        Thread renewing = Thread.ofPlatform().start(renewal::renew);
        assertThat(Polling.until(() -> sent.get() == 1, Duration.ofSeconds(60))).isTrue();

        Thread ending = Thread.ofPlatform().start(renewal::end);
        boolean waits = Polling.until(
                () -> LockSupport.getBlocker(ending) != null || !ending.isAlive(), Duration.ofSeconds(60));
        boolean hasEnded = !ending.isAlive();
        reply.countDown();
        ending.join();
        renewing.join();

        assertThat(waits).isTrue();
        assertThat(hasEnded).isFalse();
    }

    private boolean awaited(CountDownLatch reply) {
        sent.incrementAndGet();
        try {
            reply.await();
            return true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Test
    void noRenewalIsSentAfterTheEnd() {
        LeaseRenewal renewal =
                new LeaseRenewal(() -> sent.incrementAndGet() > 0, losses::incrementAndGet, failures::add);
        renewal.renew();
        renewal.end();

        renewal.renew();

        assertThat(sent).hasValue(1);
        assertThat(losses).hasValue(0);
    }

    @Test
    void renewalAfterAFailureIsAnotherAttemptAndTheFirstFailureIsReported() {
        LeaseRenewal renewal = new LeaseRenewal(
                () -> {
                    if (sent.incrementAndGet() < 3) {
                        throw new StackOverflowError("failure " + sent);
                    }
                    return true;
                },
                losses::incrementAndGet,
                failures::add);

        for (int i = 0; i < 4; i++) {
            renewal.renew();
        }

        assertThat(sent).hasValue(4);
        assertThat(failures)
                .singleElement()
                .satisfies(first -> assertThat(first).hasMessage("failure 1"));
        assertThat(renewal.isLost()).isFalse();
    }

    @Test
    void lostLeaseIsNotRenewedAgain() {
        LeaseRenewal renewal =
                new LeaseRenewal(() -> sent.incrementAndGet() == 0, losses::incrementAndGet, failures::add);

        renewal.renew();
        renewal.renew();

        assertThat(sent).hasValue(1);
        assertThat(losses).hasValue(1);
        assertThat(renewal.isLost()).isTrue();
    }
}
