// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Codec;
import org.jspecify.annotations.Nullable;

/**
 * Entries without a header: {@link Format#PLAIN}. The bytes of an entry are the bytes of the codec. Only Redis knows the
 * expiry of such an entry. Thread-safe.
 */
final class PlainFormat<V> implements EntryFormat<V> {

    /** Plain entries do not contain a check of their key. */
    private static final long NO_CHECK = 0;

    private final Codec<V> codec;

    PlainFormat(Codec<V> codec) {
        this.codec = codec;
    }

    @Override
    public @Nullable Entry<V> read(String key, byte[] bytes) {
        @Nullable V value = freshValue(NO_CHECK, bytes);
        return value == null
                ? null
                : new Entry<>(Entry.Kind.VALUE, value, "", Long.MAX_VALUE, Long.MAX_VALUE, false, bytes.length);
    }

    @Override
    public byte[] encodedKey(byte[] prefix, String key, long[] checks, int index) {
        checks[index] = NO_CHECK;
        return EncodedKey.of(prefix, key);
    }

    @Override
    public @Nullable V freshValue(long check, byte[] bytes) {
        try {
            return codec.decode(bytes);
        } catch (RuntimeException e) { // the codec rejects the bytes
            return null;
        }
    }

    @Override
    public byte[] value(String key, V value, long freshUntil, int refreshMillis, boolean maybeStale) {
        return codec.encode(value);
    }

    @Override
    public byte[] negative(String key, long freshUntil) {
        throw new IllegalStateException("the plain format has no negative entries");
    }

    @Override
    public byte[] failure(String key, String failure, long freshUntil) {
        throw new IllegalStateException("the plain format has no cached failures");
    }
}
