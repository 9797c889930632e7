// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/** Calls a function on many virtual threads that start at the same moment. */
final class ConcurrentCallers {

    private ConcurrentCallers() {}

    /** Returns the results of {@code callers} concurrent calls. */
    static <T> List<T> callAll(int callers, Callable<T> function) throws Exception {
        CountDownLatch ready = new CountDownLatch(callers);
        CountDownLatch start = new CountDownLatch(1);
        List<T> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<T>> futures = IntStream.range(0, callers)
                    .mapToObj(caller -> threads.submit(() -> {
                        ready.countDown();
                        start.await();
                        return function.call();
                    }))
                    .toList();
            ready.await();
            start.countDown();
            for (Future<T> future : futures) {
                answers.add(future.get());
            }
        }
        return answers;
    }
}
