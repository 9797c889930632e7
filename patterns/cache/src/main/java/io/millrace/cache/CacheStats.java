// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/**
 * Counters of a cache in this process. Each lookup of a key counts in exactly one of {@code hits}, {@code
 * negativeHits}, {@code nearHits}, {@code staleServes} and {@code misses}.
 *
 * @param hits lookups answered by a fresh value in Redis
 * @param negativeHits lookups answered by a negative entry or a cached failure in Redis
 * @param nearHits lookups answered by the near cache
 * @param staleServes lookups that found a stale value while the value is loaded again
 * @param misses lookups that found no usable entry
 * @param loads loader calls that have ended, including failures
 * @param loadFailures loader calls that threw an exception
 * @param refreshes background loader calls, for stale entries and for entries close to expiry
 * @param waits callers that waited for a load that another caller had started
 * @param errors commands without a valid reply, and values that could not be encoded
 * @param undecodable entries that the codec rejected, and entries that were written for another cache or another key;
 *     each of these entries counts as a miss
 * @param nearMissedWhileDown lookups that skipped the near cache because its tracking connection was down
 * @param refusedWrites loaded entries that Redis did not accept, because the lease of the load had expired, because the
 *     key was put or removed during the load, or because the claim of the lease had no reply and was not executed. The
 *     callers got these values
 * @param loadTimeouts loader calls that exceeded {@link CacheOptions#loadTimeout}
 * @param abandonedLoaders loader calls that exceeded the load timeout and have not returned until now. This number also
 *     decreases
 * @param bypasses reads and writes that were not sent, because Redis did not answer the commands before them
 * @param writes entries that Redis has confirmed, of loads, puts and warm-ups
 */
public record CacheStats(
        long hits,
        long negativeHits,
        long nearHits,
        long staleServes,
        long misses,
        long loads,
        long loadFailures,
        long refreshes,
        long waits,
        long errors,
        long undecodable,
        long nearMissedWhileDown,
        long refusedWrites,
        long loadTimeouts,
        long abandonedLoaders,
        long bypasses,
        long writes) {

    /** Returns the number of keys that were looked up. */
    public long lookups() {
        return hits + negativeHits + nearHits + staleServes + misses;
    }

    /** Returns the fraction of lookups that needed no loader, 0 to 1; 0 without lookups. */
    public double hitRate() {
        long lookups = lookups();
        return lookups == 0 ? 0 : (double) (lookups - misses) / lookups;
    }
}
