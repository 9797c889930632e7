// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Codec;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Encodes a task as the fields of a stream entry, and decodes it. Several threads call both functions at the same time.
 * If {@code decode} throws an exception the entry is dead-lettered.
 *
 * @param encode used by producers; returns at least one field
 * @param decode used by consumers; gets the fields in the order of the entry. If a field occurs twice, the last value
 *     counts
 * @param <T> a task
 */
public record FieldsCodec<T>(
        Function<? super T, Map<String, byte[]>> encode, Function<Map<String, byte[]>, ? extends T> decode) {

    /** Encodes fields as UTF-8 text. Rejects bytes that are not valid UTF-8. */
    public static final FieldsCodec<Map<String, String>> TEXT = new FieldsCodec<>(
            fields -> each(fields, Codec.text()::encode), fields -> each(fields, Codec.text()::decode));

    /**
     * Encodes a task as the single field {@code name}. Decoding ignores other fields and rejects an entry without this
     * field.
     */
    public static <T> FieldsCodec<T> of(String name, Codec<T> codec) {
        return new FieldsCodec<>(task -> Map.of(name, codec.encode(task)), fields -> {
            byte[] value = fields.get(name);
            if (value == null) {
                throw new IllegalArgumentException("an entry has no task: its fields are " + fields.keySet()
                        + ", none is " + name + ". Give the queue a codec that reads it.");
            }
            return codec.decode(value);
        });
    }

    private static <A, B> Map<String, B> each(Map<String, A> fields, Function<? super A, ? extends B> change) {
        Map<String, B> changed = new LinkedHashMap<>();
        fields.forEach((name, value) -> changed.put(name, change.apply(value)));
        return changed;
    }
}
