// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/**
 * The form of the entries of a cache in Redis. All processes that share a cache must use the same format. To change the
 * format of a cache, change the name of the cache, too: one format may decode an entry of the other format to a wrong
 * value.
 */
public enum Format {
    /**
     * The default: a header of 22 bytes, then the bytes of the codec. The header makes negative entries, cached
     * failures, stale values and refresh ahead possible. The header also contains a check of the cache name and the
     * key, so that no value is returned under another key.
     */
    WITH_HEADER,
    /**
     * Only the bytes of the codec, with the time to live of the Redis key. Other programs can read and write such
     * entries: with {@link io.millrace.client.Codec#text}, {@code GET name:key} prints the value.
     *
     * <p>The options {@link CacheOptions#staleFor}, {@link CacheOptions#refreshAhead} and {@link
     * CacheOptions#failureTimeToLive} need the header, and a {@link VersionedCodec} writes a header. The builder
     * refuses all of these. Negative entries are not cached: the default of {@link CacheOptions#negativeTimeToLive} has
     * no effect, and the builder refuses other values than the default and zero.
     *
     * <p>A near cache drops an entry when the server reports its expiry, and at the latest {@link
     * CacheOptions#timeToLive} after it has read the entry. The server may report the expiry late, because it deletes
     * expired keys in small steps. So a near cache may serve an entry for up to this time after its expiry, also if the
     * time to live of this entry is shorter. Without a near cache, no expired entry is served.
     */
    PLAIN
}
