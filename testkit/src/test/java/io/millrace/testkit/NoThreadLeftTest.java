// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

class NoThreadLeftTest {

    @Test
    void aThreadThatOutlivesItsTestFailsItAndIsNamed() {
        Events tests = run("leaves");
        Leaky.RELEASE.countDown();

        assertThat(tests.failed().count()).isOne();
        assertThat(tests.failed().stream()
                        .findFirst()
                        .orElseThrow()
                        .getPayload()
                        .orElseThrow()
                        .toString())
                .contains("threads outlived the test")
                .contains("name=millrace-left, state=WAITING");
    }

    @Test
    void aThreadThatEndsSoonAfterItsTestIsFine() {
        assertThat(run("endsSoon").succeeded().count()).isOne();
    }

    @Test
    void aThreadOfSomebodyElseIsFine() {
        Events tests = run("startsAnother");
        Leaky.RELEASE_OTHER.countDown();

        assertThat(tests.succeeded().count()).isOne();
    }

    @Test
    void aThreadThatWasThereBeforeIsFine() throws InterruptedException {
        CountDownLatch release = new CountDownLatch(1);
        Thread before = start("millrace-before", release);

        Events tests = run("endsSoon");
        release.countDown();
        before.join();

        assertThat(tests.succeeded().count()).isOne();
    }

    private static Events run(String method) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectMethod(Leaky.class, method))
                .configurationParameter("junit.jupiter.conditions.deactivate", "*")
                .execute()
                .testEvents();
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

    /** Run by the tests above only: nested static classes are no test classes of the build. */
    @ExtendWith(NoThreadLeft.class)
    static class Leaky {

        static final CountDownLatch RELEASE = new CountDownLatch(1);
        static final CountDownLatch RELEASE_OTHER = new CountDownLatch(1);

        @Test
        void leaves() {
            start("millrace-left", RELEASE);
        }

        @Test
        void endsSoon() {
            Thread.ofPlatform().name("millrace-ending").start(() -> LockSupport.parkNanos(50_000_000));
        }

        @Test
        void startsAnother() {
            start("another", RELEASE_OTHER);
        }
    }
}
