// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The jobs in the list of a worker: jobs that the worker knows, and orphans, which it does not know because a reply was
 * lost. Any thread may read and remove jobs that the worker knows. Only the dispatching thread adds jobs and finds
 * orphans.
 */
final class HeldJobs {

    private final Map<String, JobElement> known = new ConcurrentHashMap<>();

    /** Whether the server may have moved jobs to this worker that this worker does not know. Written by any thread. */
    private volatile boolean mayHaveOrphans;

    /** Only the dispatching thread accesses this field. */
    private final Deque<byte[]> orphans = new ArrayDeque<>();

    void add(JobElement element) {
        known.put(element.id(), element);
    }

    Optional<JobElement> get(String id) {
        return Optional.ofNullable(known.get(id));
    }

    void remove(String id) {
        known.remove(id);
    }

    /** Removes all jobs except those with the ids {@code ids}. */
    void retain(Set<String> ids) {
        known.keySet().retainAll(ids);
    }

    int size() {
        return known.size();
    }

    /** A reply was lost, or the server has reported more jobs than this worker knows. */
    void suspectOrphans() {
        mayHaveOrphans = true;
    }

    /**
     * Returns an orphan, if there is one. If there may be orphans, compares the list of the worker with the known jobs
     * first.
     *
     * @param list reads the list of the worker, the newest element first
     */
    Optional<byte[]> nextOrphan(Supplier<List<byte[]>> list) {
        if (mayHaveOrphans) {
            Map<ByteBuffer, Integer> counts = new HashMap<>();
            // Read before the list: a job that ends in the meantime is not an orphan.
            known.values().forEach(element -> counts.merge(ByteBuffer.wrap(element.bytes()), 1, Integer::sum));
            orphans.forEach(element -> counts.merge(ByteBuffer.wrap(element), 1, Integer::sum));
            mayHaveOrphans = false;
            try {
                for (byte[] bytes : list.get().reversed()) {
                    if (counts.merge(ByteBuffer.wrap(bytes), -1, Integer::sum) < 0) {
                        orphans.add(bytes);
                    }
                }
            } catch (RuntimeException e) { // the server cannot be reached
                mayHaveOrphans = true;
                throw e;
            }
        }
        return Optional.ofNullable(orphans.poll());
    }
}
