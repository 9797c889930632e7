// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static io.millrace.tasks.Tasks.endless;
import static io.millrace.tasks.Tasks.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ThreadsTest {

    private final Queue<Thread> started = new ConcurrentLinkedQueue<>();

    @AfterEach
    void everyThreadHasEnded() {
        assertThat(started).hasSizeGreaterThan(1).noneMatch(Thread::isAlive);
    }

    @Test
    void noThreadIsLeftAfterTheNaturalEnd() {
        flow(numbers(1_000)).run(task -> {});
    }

    @Test
    void noThreadIsLeftAfterAFailure() {
        assertThatThrownBy(() -> flow(numbers(1_000)).run(task -> {
                    throw new IOException("refused");
                }))
                .isInstanceOf(FlowException.class);
    }

    @Test
    void noThreadIsLeftAfterAFailureOfTheSource() {
        Source<Integer> failing = () -> {
            throw new IOException("database gone");
        };

        assertThatThrownBy(() -> Flow.from(failing)
                        .threads(remembering(Thread.ofVirtual().factory()))
                        .run(task -> {}))
                .isInstanceOf(FlowException.class);
    }

    @Test
    void noThreadIsLeftAfterCancellation() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        RunningFlow<Integer> flow = Flow.from(endless(10))
                .threads(remembering(Thread.ofVirtual().factory()))
                .consumers(4)
                .start(task -> {
                    begun.countDown();
                    new CountDownLatch(1).await();
                });
        begun.await();
        flow.close();
    }

    @Test
    void noThreadIsLeftWhenResultsAreNotReadToTheirEnd() throws Exception {
        try (Results<Integer, Integer> results = Flow.from(endless(10))
                .threads(remembering(Thread.ofVirtual().factory()))
                .orderedResults(task -> task)) {
            results.next();
        }
    }

    @Test
    void threadsCanBeOfThePlatformAndSayWhoseTheyAre() {
        Queue<String> names = new ConcurrentLinkedQueue<>();

        Flow.of(numbers(100))
                .name("feeds")
                .threads(remembering(Thread.ofPlatform().factory()))
                .consumers(2)
                .run(task -> names.add(Thread.currentThread().getName()));

        assertThat(names).allMatch(name -> name.matches("millrace-feeds-consumer-[01]"));
    }

    @Test
    void aFactoryThatFailsEndsTheFlow() {
        ThreadFactory factory = remembering(Thread.ofVirtual().factory());
        Flow<Integer> flow = Flow.from(endless(10)).consumers(10).threads(body -> {
            if (started.size() == 8) {
                throw new OutOfMemoryError("no more threads");
            }
            return factory.newThread(body);
        });

        assertThatThrownBy(() -> flow.run(task -> {})).hasRootCauseMessage("no more threads");
    }

    private Flow<Integer> flow(Iterable<Integer> tasks) {
        return Flow.of(tasks)
                .consumers(4)
                .threads(remembering(Thread.ofVirtual().factory()));
    }

    private ThreadFactory remembering(ThreadFactory factory) {
        return body -> {
            Thread thread = factory.newThread(body);
            started.add(thread);
            return thread;
        };
    }
}
