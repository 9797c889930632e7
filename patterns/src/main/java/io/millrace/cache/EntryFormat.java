// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Entries as bytes. Any thread reads and writes.
 *
 * <p>DESIGN. The numbers are big-endian:
 *
 * <pre>
 *  0        1       2                10               18                22
 *  | format | kind  | check of name  | fresh until,   | refreshed so    | what the codec made of the value …
 *  | 1      | stale | and key        | epoch millis   | long before, ms |
 * </pre>
 *
 * The check is what keeps a value from being served under a key that is not its own, however it came there: by {@code RENAME}, by a
 * cache whose name and keys make the same Redis key, by keys whose text cannot be told apart in UTF-8. It goes over the characters of
 * both names; that two different keys have the same is as likely as 1 in 2^64. It is no protection from an attacker who may write to
 * Redis.
 */
final class EntryFormat<V> {

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

    /** An odd number without a pattern, from the fraction of the golden ratio. */
    private static final long STEP = 0x9e3779b97f4a7c15L;

    private final Codec<V> codec;
    private final long nameCheck;

    EntryFormat(String name, Codec<V> codec) {
        this.codec = codec;
        this.nameCheck = mixed(name, name.length() * STEP);
    }

    /** The entry; null if it is none of this cache and key, or the codec refuses it. */
    @Nullable
    Entry<V> read(String key, byte[] bytes) {
        if (bytes.length < HEADER_BYTES || bytes[0] != FORMAT || (long) LONG.get(bytes, CHECK_AT) != check(key)) {
            return null;
        }
        boolean maybeStale = (bytes[KIND_AT] & MAYBE_STALE) != 0;
        long freshUntil = (long) LONG.get(bytes, FRESH_AT);
        int refreshMillis = (int) INT.get(bytes, REFRESH_AT);
        long refreshFrom = refreshMillis == 0 ? Long.MAX_VALUE : freshUntil - refreshMillis;
        int length = bytes.length - HEADER_BYTES;
        return switch (bytes[KIND_AT] & ~MAYBE_STALE & 0xff) {
            case VALUE -> value(bytes, length, freshUntil, refreshFrom, maybeStale);
            case NONE -> new Entry<>(Entry.Kind.NONE, null, "", freshUntil, refreshFrom, maybeStale, bytes.length);
            case FAILURE -> {
                String failure = new String(bytes, HEADER_BYTES, length, StandardCharsets.UTF_8);
                yield new Entry<>(Entry.Kind.FAILURE, null, failure, freshUntil, refreshFrom, maybeStale, bytes.length);
            }
            default -> null;
        };
    }

    private @Nullable Entry<V> value(byte[] bytes, int length, long freshUntil, long refreshFrom, boolean maybeStale) {
        try {
            V value = Objects.requireNonNull(codec.decode(bytes, HEADER_BYTES, length));
            return new Entry<>(Entry.Kind.VALUE, value, "", freshUntil, refreshFrom, maybeStale, bytes.length);
        } catch (RuntimeException e) { // whatever the codec has against it
            return null;
        }
    }

    /** A value that is fresh until then, and may be loaded again so long before. */
    byte[] value(String key, V value, long freshUntil, int refreshMillis, boolean maybeStale) {
        byte[] payload = codec.encode(value);
        return bytes(key, VALUE | (maybeStale ? MAYBE_STALE : 0), freshUntil, refreshMillis, payload);
    }

    /** An entry that says that there is no value. */
    byte[] none(String key, long freshUntil) {
        return bytes(key, NONE, freshUntil, 0, new byte[0]);
    }

    /** An entry that says that its loader has thrown an exception of this class. */
    byte[] failure(String key, String failure, long freshUntil) {
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

    /** The text mixed into a number, character by character, as in MurmurHash's 64-bit finalizer at the end. */
    private static long mixed(String text, long seed) {
        long mixed = seed;
        for (int i = 0; i < text.length(); i++) {
            mixed = (mixed ^ text.charAt(i)) * STEP;
            mixed ^= mixed >>> 29;
        }
        mixed ^= mixed >>> 33;
        mixed *= 0xff51afd7ed558ccdL;
        return mixed ^ (mixed >>> 33);
    }
}
