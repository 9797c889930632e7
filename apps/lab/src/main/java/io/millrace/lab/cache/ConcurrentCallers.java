// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/** Virtual threads that call a cache at the same time. A single caller is the thread of the lab itself. */
final class ConcurrentCallers {

    /** The work of one caller. */
    @FunctionalInterface
    interface Part {
        void run(int caller) throws Exception;
    }

    /** The question of one caller. */
    @FunctionalInterface
    interface Question {
        String ask(int caller) throws Exception;
    }

    /** Returns when the last caller has done its part. Throws the failure of a caller. */
    static void run(int callers, Part part) throws Exception {
        if (callers == 1) {
            part.run(0);
            return;
        }
        List<Callable<Boolean>> parts = IntStream.range(0, callers)
                .<Callable<Boolean>>mapToObj(caller -> () -> {
                    part.run(caller);
                    return true;
                })
                .toList();
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Boolean> ended : executor.invokeAll(parts)) {
                ended.get();
            }
        }
    }

    /** Returns the answers of all callers in the order of the callers. A failure of a caller is an answer too. */
    static List<Answer> ask(int callers, Question question) throws Exception {
        var answers = new Answer[callers];
        run(callers, caller -> answers[caller] = Answer.of(() -> question.ask(caller)));
        return List.of(answers);
    }

    private ConcurrentCallers() {}
}
