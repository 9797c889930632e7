// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.function.Function;

/**
 * A codec that is based on the codec {@code base}. To encode a value, the codec converts the value with {@code write}
 * and encodes the result with {@code base}. To decode bytes, it decodes them with {@code base} and converts the result
 * with {@code read}. See {@link Codec#of} and {@link Codec#text}.
 */
record MappedCodec<S, T>(Codec<S> base, Function<? super T, ? extends S> write, Function<? super S, ? extends T> read)
        implements Codec<T> {

    @Override
    public byte[] encode(T value) {
        return base.encode(write.apply(value));
    }

    @Override
    public T decode(byte[] bytes, int offset, int length) {
        return read.apply(base.decode(bytes, offset, length));
    }

    @Override
    public T decode(byte[] bytes) {
        return read.apply(base.decode(bytes));
    }
}
