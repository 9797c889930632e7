// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;

/** Two consumers that block in take, and then a producer that blocks in put, on threads of one kind. */
record TwoConsumersFirst(Threads threads) implements WarmContender {

    /** Where producer and consumers run. */
    enum Threads {
        POOL_OF_TWO("two-platform-threads", "a fixed pool of two platform threads", true) {
            @Override
            ExecutorService executor(ThreadFactory factory) {
                return Executors.newFixedThreadPool(2, factory);
            }

            @Override
            Thread.Builder builder() {
                return Thread.ofPlatform();
            }
        },
        VIRTUAL("virtual-threads", "a virtual thread for each", false) {
            @Override
            ExecutorService executor(ThreadFactory factory) {
                return Executors.newThreadPerTaskExecutor(factory);
            }

            @Override
            Thread.Builder builder() {
                return Thread.ofVirtual();
            }
        };

        private final String word;
        private final String note;

        /** Whether consumers can keep every thread there is from the producer. */
        private final boolean deadlocks;

        Threads(String word, String note, boolean deadlocks) {
            this.word = word;
            this.note = note;
            this.deadlocks = deadlocks;
        }

        abstract ExecutorService executor(ThreadFactory factory);

        abstract Thread.Builder builder();
    }

    @Override
    public String name() {
        return "jdk";
    }

    @Override
    public String variant() {
        return threads.word;
    }

    @Override
    public String jvm() {
        return name();
    }

    @Override
    public String note() {
        return threads.note + "; two consumers that block in take are submitted before the producer";
    }

    @Override
    public Rounds open(Task task) {
        return new Attempts(threads, (int) task.operations());
    }

    private static final class Attempts implements Rounds {

        private final Threads threads;
        private final int tasks;
        private Standstill.Ending ending = new Standstill.Ending(0, 0, Optional.empty());

        Attempts(Threads threads, int tasks) {
            this.threads = threads;
            this.tasks = tasks;
        }

        @Override
        public Optional<Outcomes> run() throws Exception {
            ending = new Standstill(threads, tasks).await();
            return Optional.of(new Outcomes(ending.consumed(), 0, 0, 0, tasks - ending.consumed()));
        }

        @Override
        public Optional<String> remark() {
            return Optional.of(ending.deadlock()
                    .orElseGet(() ->
                            String.format(Locale.ROOT, "no deadlock: %d of %d tasks done", ending.consumed(), tasks)));
        }

        /** The deadlock is the finding where it must come; elsewhere, and without it, all tasks are to be done. */
        @Override
        public List<String> complaints() {
            boolean deadlock = ending.deadlock().isPresent();
            int expected = threads.deadlocks ? 0 : tasks;
            return deadlock == threads.deadlocks && ending.consumed() == expected
                    ? List.of()
                    : List.of("deadlock: expected=" + threads.deadlocks + ", found=" + deadlock
                            + "; tasks consumed: expected=" + expected + ", consumed=" + ending.consumed());
        }

        @Override
        public void close() {}
    }
}
