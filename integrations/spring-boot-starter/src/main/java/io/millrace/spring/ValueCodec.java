// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.Codec;
import org.springframework.cache.support.NullValue;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/** Encodes the values of one cache as JSON. A null of the application is {@link NullValue}, and the JSON value null. */
final class ValueCodec implements Codec<Object> {

    private static final byte[] NULL = {'n', 'u', 'l', 'l'};

    private final ObjectWriter writer;
    private final ObjectReader reader;

    ValueCodec(JavaType type, JsonMapper mapper) {
        this.writer = mapper.writerFor(type);
        this.reader = mapper.readerFor(type);
    }

    @Override
    public byte[] encode(Object value) {
        return value instanceof NullValue ? NULL.clone() : writer.writeValueAsBytes(value);
    }

    @Override
    public Object decode(byte[] bytes, int offset, int length) {
        Object value = reader.readValue(bytes, offset, length);
        return value == null ? NullValue.INSTANCE : value;
    }
}
