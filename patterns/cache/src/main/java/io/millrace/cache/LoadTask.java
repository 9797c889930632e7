// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import org.jspecify.annotations.Nullable;

/**
 * A load that a thread runs, and the parameters of the load.
 *
 * @param readsFirst whether the load must read Redis first, because the entry may have changed since the caller read
 *     Redis
 * @param writeBack collects the entries of the multi-get that started the load; null for a single lookup and for a
 *     background load
 * @param limitNanos maximum time that the load waits for a permit or for another process
 */
record LoadTask<V>(
        Load<V> load, boolean readsFirst, @Nullable WriteBatch<V> writeBack, long limitNanos) {

    /**
     * Passes the entry to the multi-get, if there is one. Returns whether the multi-get accepted the entry and will
     * write the entry together with its other entries.
     */
    boolean handOver(LoadedEntry<V> loadedEntry) {
        return writeBack != null && writeBack.offer(loadedEntry);
    }

    /** Declares that the multi-get must not wait for this load. */
    void leaveWriteBack() {
        if (writeBack != null) {
            writeBack.withdraw(load);
        }
    }
}
