// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** An adapter of the lab. Closes the newest of the opened resources first, and all of them even if one fails. */
abstract class LibraryClient implements ClientAdapter {

    private final Deque<AutoCloseable> resources = new ArrayDeque<>();

    final <T extends AutoCloseable> T opened(T resource) {
        resources.addLast(resource);
        return resource;
    }

    @Override
    public final void close() throws Exception {
        if (!resources.isEmpty()) {
            try (var oldest = resources.removeFirst()) {
                close();
            }
        }
    }

    /** Waits for the futures one after the other. The library ends the wait at the time limit. */
    static List<@Nullable Object> results(List<? extends Future<?>> futures)
            throws ExecutionException, InterruptedException {
        var results = new ArrayList<@Nullable Object>(futures.size());
        for (var future : futures) {
            results.add(future.get());
        }
        return results;
    }
}
