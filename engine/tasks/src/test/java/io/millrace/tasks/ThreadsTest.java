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
    void assertThatEveryThreadHasEnded() {
        assertThat(started).hasSizeGreaterThan(1).noneMatch(Thread::isAlive);
    }

    @Test
    void noThreadIsLeftAfterCompletion() {
        flow(numbers(1_000)).run(task -> {});
    }

    @Test
    void noThreadIsLeftAfterAFailure() {
        assertThatThrownBy(() -> flow(numbers(1_000)).run(task -> {
                    throw new IOException("refused");
                }))
                .isInstanceOf(TaskFlowException.class);
    }

    @Test
    void noThreadIsLeftAfterASourceFailure() {
        Source<Integer> failing = () -> {
            throw new IOException("database gone");
        };

        assertThatThrownBy(() -> TaskFlow.from(failing)
                        .threads(recording(Thread.ofVirtual().factory()))
                        .run(task -> {}))
                .isInstanceOf(TaskFlowException.class);
    }

    @Test
    void noThreadIsLeftAfterCancellation() throws Exception {
        CountDownLatch taskStarted = new CountDownLatch(1);
        RunningTaskFlow<Integer> flow = TaskFlow.from(endless(10))
                .threads(recording(Thread.ofVirtual().factory()))
                .consumers(4)
                .start(task -> {
                    taskStarted.countDown();
                    new CountDownLatch(1).await();
                });
        taskStarted.await();
        flow.close();
    }

    @Test
    void noThreadIsLeftWhenResultsAreNotReadToTheirEnd() throws Exception {
        try (Results<Integer, Integer> results = TaskFlow.from(endless(10))
                .threads(recording(Thread.ofVirtual().factory()))
                .orderedResults(task -> task)) {
            results.next();
        }
    }

    @Test
    void platformThreadsAreNamedAfterTheFlow() {
        Queue<String> names = new ConcurrentLinkedQueue<>();

        TaskFlow.of(numbers(100))
                .name("feeds")
                .threads(recording(Thread.ofPlatform().factory()))
                .consumers(2)
                .run(task -> names.add(Thread.currentThread().getName()));

        assertThat(names).allMatch(name -> name.matches("millrace-feeds-consumer-[01]"));
    }

    @Test
    void failingThreadFactoryStopsTheFlow() {
        ThreadFactory factory = recording(Thread.ofVirtual().factory());
        TaskFlow<Integer> taskFlow = TaskFlow.from(endless(10)).consumers(10).threads(body -> {
            if (started.size() == 8) {
                throw new OutOfMemoryError("no more threads");
            }
            return factory.newThread(body);
        });

        assertThatThrownBy(() -> taskFlow.run(task -> {})).hasRootCauseMessage("no more threads");
    }

    private TaskFlow<Integer> flow(Iterable<Integer> tasks) {
        return TaskFlow.of(tasks)
                .consumers(4)
                .threads(recording(Thread.ofVirtual().factory()));
    }

    private ThreadFactory recording(ThreadFactory factory) {
        return body -> {
            Thread thread = factory.newThread(body);
            started.add(thread);
            return thread;
        };
    }
}
