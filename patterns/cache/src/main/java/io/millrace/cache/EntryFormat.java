// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Codec;
import org.jspecify.annotations.Nullable;

/** Encodes entries to the bytes of a Redis string and decodes these bytes. Implementations are thread-safe. */
sealed interface EntryFormat<V> permits HeaderFormat, PlainFormat {

    /** Returns the format of the entries of the cache {@code name}. */
    static <V> EntryFormat<V> of(Format format, String name, Codec<V> codec) {
        return switch (format) {
            case WITH_HEADER -> new HeaderFormat<>(name, codec);
            case PLAIN -> new PlainFormat<>(codec);
        };
    }

    /**
     * Decodes an entry. Returns null if the bytes are not an entry of this cache and key, or if the codec rejects the
     * payload.
     */
    @Nullable
    Entry<V> read(String key, byte[] bytes);

    /**
     * Returns {@code prefix} and the key in UTF-8. Also sets {@code checks[index]} to the check of the key, which {@link
     * #freshValue} needs, because the characters of the key are at hand.
     */
    byte[] encodedKey(byte[] prefix, String key, long[] checks, int index);

    /**
     * Decodes a value that certainly is fresh and needs no background load. Returns null if the bytes are another entry,
     * or if {@link #read} would return null.
     *
     * @param check the check of the key
     */
    @Nullable
    V freshValue(long check, byte[] bytes);

    /** Encodes a value. {@code refreshMillis} is the length of the refresh-ahead period before {@code freshUntil}. */
    byte[] value(String key, V value, long freshUntil, int refreshMillis, boolean maybeStale);

    /** Encodes a negative entry. */
    byte[] negative(String key, long freshUntil);

    /** Encodes a cached failure with the class name of the exception. */
    byte[] failure(String key, String failure, long freshUntil);
}
