// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class NoThreadLeftTest {

    @AfterEach
    void restoreTimeout() {
        Leaky.timeout = Leaky.SHORT;
    }

    @Test
    void threadThatStillRunsAfterItsTestFailsTheTestAndIsReported() {
        ExtensionRun run = ExtensionRun.of(Leaky.class, "testLeavesAThreadRunning");
        Leaky.RELEASE.countDown();

        assertThat(run.failure())
                .contains("threads are still running 200 ms after the test: ")
                .contains("name=millrace-left, state=WAITING");
    }

    @Test
    void testPassesIfItsThreadEndsSoonAfterTheTest() {
        Leaky.timeout = NoThreadLeft.TIMEOUT;

        ExtensionRun.of(Leaky.class, "testStartsAThreadThatEndsSoon").assertSucceeded();
    }

    @Test
    void threadWithAnotherNamePrefixIsIgnored() {
        ExtensionRun run = ExtensionRun.of(Leaky.class, "testStartsAThreadWithAnotherNamePrefix");
        Leaky.RELEASE_OTHER.countDown();

        run.assertSucceeded();
    }

    @Test
    void threadThatRanBeforeTheTestIsIgnored() throws InterruptedException {
        CountDownLatch release = new CountDownLatch(1);
        Thread before = start("millrace-before", release);

        Leaky.timeout = NoThreadLeft.TIMEOUT;

        ExtensionRun run = ExtensionRun.of(Leaky.class, "testStartsAThreadThatEndsSoon");
        release.countDown();
        before.join();

        run.assertSucceeded();
    }

    private static Thread start(String name, CountDownLatch release) {
        return Thread.ofPlatform().daemon().name(name).start(() -> {
            try {
                release.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /**
     * The tests above run these test methods. The build does not run them directly, because it skips nested static
     * classes.
     */
    static class Leaky {

        static final Duration SHORT = Duration.ofMillis(200);

        static Duration timeout = SHORT;

        @RegisterExtension
        final NoThreadLeft noThreadLeft = new NoThreadLeft(timeout);

        static final CountDownLatch RELEASE = new CountDownLatch(1);
        static final CountDownLatch RELEASE_OTHER = new CountDownLatch(1);

        @Test
        void testLeavesAThreadRunning() {
            start("millrace-left", RELEASE);
        }

        @Test
        void testStartsAThreadThatEndsSoon() {
            Thread.ofPlatform().name("millrace-ending").start(() -> LockSupport.parkNanos(50_000_000));
        }

        @Test
        void testStartsAThreadWithAnotherNamePrefix() {
            start("another", RELEASE_OTHER);
        }
    }
}
