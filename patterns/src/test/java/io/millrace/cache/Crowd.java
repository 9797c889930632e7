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

/** Virtual callers that all begin at the same moment. */
final class Crowd {

    private Crowd() {}

    /** What each of {@code callers} gets. */
    static <T> List<T> ask(int callers, Callable<T> question) throws Exception {
        CountDownLatch ready = new CountDownLatch(callers);
        CountDownLatch now = new CountDownLatch(1);
        List<T> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<T>> asked = IntStream.range(0, callers)
                    .mapToObj(caller -> threads.submit(() -> {
                        ready.countDown();
                        now.await();
                        return question.call();
                    }))
                    .toList();
            ready.await();
            now.countDown();
            for (Future<T> one : asked) {
                answers.add(one.get());
            }
        }
        return answers;
    }
}
