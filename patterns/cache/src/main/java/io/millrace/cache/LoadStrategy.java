// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.Optional;

/**
 * Coordinates a load with the other loads of this process, and with the loads of other processes if leases are enabled.
 */
sealed interface LoadStrategy<V> permits DirectLoad, LeasedLoad {

    /**
     * Loads the value and ends the load. Blocks; runs on the thread of the load.
     *
     * @return the entry to write; empty if there is nothing to write
     * @throws InterruptedException if the thread is interrupted; the load has then not ended
     */
    Optional<LoadedEntry<V>> load(LoadTask<V> task) throws InterruptedException;
}
