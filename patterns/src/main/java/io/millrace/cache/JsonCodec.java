// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.Objects;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/**
 * Values as JSON, by Jackson 3, which has to be on the class path. The type is given here, and never taken from an entry.
 *
 * @param <V> a value
 */
public final class JsonCodec<V> implements Codec<V> {

    private final ObjectWriter writer;
    private final ObjectReader reader;

    private JsonCodec(ObjectWriter writer, ObjectReader reader) {
        this.writer = writer;
        this.reader = reader;
    }

    /** Values of a class, as Jackson writes them by default. */
    public static <V> JsonCodec<V> of(Class<V> type) {
        ObjectMapper mapper = JsonMapper.shared();
        return new JsonCodec<>(mapper.writerFor(type), mapper.readerFor(type));
    }

    /** Values of a type, such as {@code new TypeReference<List<Price>>() {}}, written as {@code mapper} says. */
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
        return Objects.requireNonNull(value, "an entry is the null of JSON");
    }
}
