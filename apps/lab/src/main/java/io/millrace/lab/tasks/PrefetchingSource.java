// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.tasks.Source;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Fetches batches in advance, in a separate thread. A flow with ordered results has one window for tasks and results.
 * With this source, the flow fetches as many batches before the window as fs2 does with {@code prefetch}.
 */
final class PrefetchingSource<T> implements Source<T> {

    private final Source<T> source;
    private final int batchesAhead;
    private final ExecutorService fetcher =
            Executors.newSingleThreadExecutor(Thread.ofVirtual().factory());
    private final Queue<Future<List<T>>> fetched = new ArrayDeque<>();

    PrefetchingSource(Source<T> source, int batchesAhead) {
        this.source = source;
        this.batchesAhead = batchesAhead;
    }

    @Override
    public List<T> next() throws InterruptedException, ExecutionException {
        while (fetched.size() <= batchesAhead) {
            fetched.add(fetcher.submit(source::next));
        }
        return fetched.remove().get();
    }

    @Override
    public void close() {
        fetcher.shutdownNow();
        fetcher.close();
    }
}
