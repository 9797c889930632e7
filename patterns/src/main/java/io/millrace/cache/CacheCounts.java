// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/**
 * What a cache did so far, in this process. Each key that was asked for is in exactly one of {@code hits}, {@code negativeHits}, {@code
 * nearHits}, {@code staleServes} and {@code misses}.
 *
 * @param hits values found in Redis, in their time
 * @param negativeHits entries in Redis that say that there is no value, or that loading it failed
 * @param nearHits entries found in this process
 * @param staleServes values found after their time, and served while they are loaded again
 * @param misses nothing to be served was found
 * @param loads calls of a loader that have ended, those that failed among them
 * @param loadFailures those that threw
 * @param refreshes those in the background, of entries that were about to expire, or stale
 * @param waits callers that waited for a load that another had begun
 * @param errors commands of the cache that Redis did not answer, or not as it should, and values that could not be encoded
 * @param undecodable entries that are not of this cache, or that the codec refused: each is a miss
 * @param nearMissedWhileDown keys that were asked for while the part of the cache in this process kept nothing, since nobody told it what changes
 */
public record CacheCounts(
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
        long nearMissedWhileDown) {

    /** How many keys were asked for. */
    public long lookups() {
        return hits + negativeHits + nearHits + staleServes + misses;
    }

    /** The part of lookups that needed no loader, 0 to 1; 0 before the first. */
    public double hitRate() {
        long lookups = lookups();
        return lookups == 0 ? 0 : (double) (lookups - misses) / lookups;
    }
}
