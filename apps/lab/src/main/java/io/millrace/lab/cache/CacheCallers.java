// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/** Virtual threads that call a cache at the same time. A single caller is the thread of the lab itself. */
final class CacheCallers {

    /** The work of one caller. */
    @FunctionalInterface
    interface Part<T> {
        T run(int caller) throws Exception;
    }

    /** Returns the results in the order of the callers. Throws the failure of a caller. */
    static <T> List<T> run(int callers, Part<T> part) throws Exception {
        if (callers == 1) {
            return List.of(part.run(0));
        }
        List<Callable<T>> parts = IntStream.range(0, callers)
                .<Callable<T>>mapToObj(caller -> () -> part.run(caller))
                .toList();
        var results = new ArrayList<T>(callers);
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<T> ended : executor.invokeAll(parts)) {
                results.add(ended.get());
            }
        }
        return results;
    }

    private CacheCallers() {}
}
