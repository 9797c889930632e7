// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.concurrent.atomic.LongAdder;

/** The counters of a cache. Thread-safe. */
final class StatsCounter {

    final LongAdder hits = new LongAdder();
    final LongAdder negativeHits = new LongAdder();
    final LongAdder nearHits = new LongAdder();
    final LongAdder staleServes = new LongAdder();
    final LongAdder misses = new LongAdder();
    final LongAdder loads = new LongAdder();
    final LongAdder loadFailures = new LongAdder();
    final LongAdder refreshes = new LongAdder();
    final LongAdder waits = new LongAdder();
    final LongAdder errors = new LongAdder();
    final LongAdder undecodable = new LongAdder();
    final LongAdder nearMissedWhileDown = new LongAdder();
    final LongAdder refusedWrites = new LongAdder();
    final LongAdder loadTimeouts = new LongAdder();
    final LongAdder abandonedLoaders = new LongAdder();
    final LongAdder bypasses = new LongAdder();
    final LongAdder writes = new LongAdder();

    CacheStats snapshot() {
        return new CacheStats(
                hits.sum(),
                negativeHits.sum(),
                nearHits.sum(),
                staleServes.sum(),
                misses.sum(),
                loads.sum(),
                loadFailures.sum(),
                refreshes.sum(),
                waits.sum(),
                errors.sum(),
                undecodable.sum(),
                nearMissedWhileDown.sum(),
                refusedWrites.sum(),
                loadTimeouts.sum(),
                abandonedLoaders.sum(),
                bypasses.sum(),
                writes.sum());
    }
}
