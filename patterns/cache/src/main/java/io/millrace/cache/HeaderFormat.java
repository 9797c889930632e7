// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Codec;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Entries with a header: {@link Format#WITH_HEADER}. Thread-safe.
 *
 * <p>DESIGN. All numbers are big-endian:
 *
 * <pre>
 *  0        1       2                10               18                22
 *  | format | kind  | check of name  | fresh until,   | refresh ahead,  | payload of the codec …
 *  | 1      | stale | and key        | epoch millis   | ms              |
 * </pre>
 *
 * <p>The check is a hash of the cache name and the key. With the check, the cache rejects a value that was written
 * under another key. Redis can return such a value in three cases: after a {@code RENAME}, if two caches build the same
 * Redis key, and if two keys have the same UTF-8 bytes. The hash covers the UTF-16 characters of both texts. Two
 * different keys have the same check with a probability of 1 in 2^64. The check does not protect against an attacker
 * who can write to Redis.
 */
final class HeaderFormat<V> implements EntryFormat<V> {

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN)
            .withInvokeExactBehavior();
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN)
            .withInvokeExactBehavior();

    private static final byte FORMAT = 1;
    private static final int KIND_AT = 1;
    private static final int CHECK_AT = 2;
    private static final int FRESH_AT = 10;
    private static final int REFRESH_AT = 18;
    static final int HEADER_BYTES = 22;

    private static final int VALUE = 1;
    private static final int NONE = 2;
    private static final int FAILURE = 3;
    private static final int MAYBE_STALE = 0x80;

    /** An odd multiplier whose bits have no pattern: the fractional part of the golden ratio. */
    private static final long STEP = 0x9e3779b97f4a7c15L;

    private final Codec<V> codec;
    private final long nameCheck;

    HeaderFormat(String name, Codec<V> codec) {
        this.codec = codec;
        this.nameCheck = mixed(name, name.length() * STEP);
    }

    @Override
    public @Nullable Entry<V> read(String key, byte[] bytes) {
        if (bytes.length < HEADER_BYTES || bytes[0] != FORMAT || (long) LONG.get(bytes, CHECK_AT) != check(key)) {
            return null;
        }
        boolean maybeStale = (bytes[KIND_AT] & MAYBE_STALE) != 0;
        long freshUntil = (long) LONG.get(bytes, FRESH_AT);
        int refreshMillis = (int) INT.get(bytes, REFRESH_AT);
        long refreshFrom = refreshMillis == 0 ? Long.MAX_VALUE : freshUntil - refreshMillis;
        int length = bytes.length - HEADER_BYTES;
        return switch (bytes[KIND_AT] & ~MAYBE_STALE & 0xff) {
            case VALUE -> value(bytes, freshUntil, refreshFrom, maybeStale);
            case NONE -> new Entry<>(Entry.Kind.NEGATIVE, null, "", freshUntil, refreshFrom, maybeStale, bytes.length);
            case FAILURE -> {
                String failure = new String(bytes, HEADER_BYTES, length, StandardCharsets.UTF_8);
                yield new Entry<>(Entry.Kind.FAILURE, null, failure, freshUntil, refreshFrom, maybeStale, bytes.length);
            }
            default -> null;
        };
    }

    private @Nullable Entry<V> value(byte[] bytes, long freshUntil, long refreshFrom, boolean maybeStale) {
        @Nullable V value = decoded(bytes);
        return value == null
                ? null
                : new Entry<>(Entry.Kind.VALUE, value, "", freshUntil, refreshFrom, maybeStale, bytes.length);
    }

    private @Nullable V decoded(byte[] bytes) {
        try {
            return codec.decode(bytes, HEADER_BYTES, bytes.length - HEADER_BYTES);
        } catch (RuntimeException e) { // the codec rejects the payload
            return null;
        }
    }

    @Override
    public byte[] encodedKey(byte[] prefix, String key, long[] checks, int index) {
        byte[] encoded = Arrays.copyOf(prefix, prefix.length + key.length());
        long mixed = nameCheck;
        for (int i = 0; i < key.length(); i++) {
            char next = key.charAt(i);
            if (next >= 0x80) {
                checks[index] = check(key);
                return EncodedKey.ofAnyText(prefix, key);
            }
            encoded[prefix.length + i] = (byte) next;
            mixed = step(mixed, next);
        }
        checks[index] = finished(mixed);
        return encoded;
    }

    @Override
    public @Nullable V freshValue(long check, byte[] bytes) {
        boolean fresh = bytes.length >= HEADER_BYTES
                && bytes[0] == FORMAT
                && bytes[KIND_AT] == VALUE
                && (int) INT.get(bytes, REFRESH_AT) == 0
                && (long) LONG.get(bytes, CHECK_AT) == check;
        return fresh ? decoded(bytes) : null;
    }

    @Override
    public byte[] value(String key, V value, long freshUntil, int refreshMillis, boolean maybeStale) {
        byte[] payload = codec.encode(value);
        return bytes(key, VALUE | (maybeStale ? MAYBE_STALE : 0), freshUntil, refreshMillis, payload);
    }

    @Override
    public byte[] negative(String key, long freshUntil) {
        return bytes(key, NONE, freshUntil, 0, new byte[0]);
    }

    @Override
    public byte[] failure(String key, String failure, long freshUntil) {
        return bytes(key, FAILURE, freshUntil, 0, failure.getBytes(StandardCharsets.UTF_8));
    }

    private byte[] bytes(String key, int kind, long freshUntil, int refreshMillis, byte[] payload) {
        byte[] bytes = new byte[HEADER_BYTES + payload.length];
        bytes[0] = FORMAT;
        bytes[KIND_AT] = (byte) kind;
        LONG.set(bytes, CHECK_AT, check(key));
        LONG.set(bytes, FRESH_AT, freshUntil);
        INT.set(bytes, REFRESH_AT, refreshMillis);
        System.arraycopy(payload, 0, bytes, HEADER_BYTES, payload.length);
        return bytes;
    }

    private long check(String key) {
        return mixed(key, nameCheck);
    }

    /**
     * Returns a hash of {@code text} and {@code seed}. Adds one character at a time, and applies the 64-bit finalizer
     * of MurmurHash at the end.
     */
    private static long mixed(String text, long seed) {
        long mixed = seed;
        for (int i = 0; i < text.length(); i++) {
            mixed = step(mixed, text.charAt(i));
        }
        return finished(mixed);
    }

    private static long step(long mixed, char next) {
        long stepped = (mixed ^ next) * STEP;
        return stepped ^ (stepped >>> 29);
    }

    private static long finished(long mixed) {
        long finished = (mixed ^ (mixed >>> 33)) * 0xff51afd7ed558ccdL;
        return finished ^ (finished >>> 33);
    }
}
