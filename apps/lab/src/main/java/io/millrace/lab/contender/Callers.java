// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/** The threads that callers are. */
public enum Callers {
    /** Threads of the operating system. */
    PLATFORM("platform"),
    /** Virtual threads, of which the JVM runs as many at a time as there are cores. */
    VIRTUAL("virtual");

    private final String word;

    Callers(String word) {
        this.word = word;
    }

    /** The word in labels. */
    String word() {
        return word;
    }

    /** {@code count} of them, for notes. */
    String of(int count) {
        return count + " " + word + (count == 1 ? " caller" : " callers");
    }

    /** What one caller does. */
    @FunctionalInterface
    public interface Part {

        /** Does the part of {@code caller}, 0 and up. */
        void run(int caller) throws Exception;
    }

    /** Runs {@code count} callers, which start together, and returns when the last has done its part. */
    public void run(int count, Part part) throws InterruptedException, ExecutionException {
        List<Callable<Boolean>> parts = IntStream.range(0, count)
                .<Callable<Boolean>>mapToObj(caller -> () -> {
                    part.run(caller);
                    return true;
                })
                .toList();
        try (var executor = executor(count)) {
            for (var done : executor.invokeAll(parts)) {
                done.get();
            }
        }
    }

    private ExecutorService executor(int count) {
        return switch (this) {
            case PLATFORM -> Executors.newFixedThreadPool(count);
            case VIRTUAL -> Executors.newVirtualThreadPerTaskExecutor();
        };
    }
}
