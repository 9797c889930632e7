// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Codec;
import java.util.Objects;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/**
 * A codec of JSON values. Requires Jackson 3 on the class path. The application sets the Java type of the values. The
 * bytes of an entry never select a type.
 *
 * @param <V> the type of the values
 */
public final class JsonCodec<V> implements Codec<V> {

    private final ObjectWriter writer;
    private final ObjectReader reader;

    private JsonCodec(ObjectWriter writer, ObjectReader reader) {
        this.writer = writer;
        this.reader = reader;
    }

    /** Returns the codec of a class, with the default mapper of Jackson. */
    public static <V> JsonCodec<V> of(Class<V> type) {
        ObjectMapper mapper = JsonMapper.shared();
        return new JsonCodec<>(mapper.writerFor(type), mapper.readerFor(type));
    }

    /**
     * Returns the codec of a generic type, such as {@code new TypeReference<List<Price>>() {}}, with the settings of
     * {@code mapper}.
     */
    public static <V> JsonCodec<V> of(TypeReference<V> type, ObjectMapper mapper) {
        return new JsonCodec<>(mapper.writerFor(type), mapper.readerFor(type));
    }

    @Override
    public byte[] encode(V value) {
        return writer.writeValueAsBytes(value);
    }

    @Override
    public V decode(byte[] bytes, int offset, int length) {
        V value = reader.readValue(bytes, offset, length);
        return Objects.requireNonNull(value, "an entry is the JSON value null");
    }
}
