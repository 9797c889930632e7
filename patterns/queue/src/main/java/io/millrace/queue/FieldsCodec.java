// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Codec;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Converts a task to the fields of a stream entry, and the fields back to a task. Several threads call {@code encode}
 * and {@code decode} concurrently. If {@code decode} throws an exception, the attempt has failed.
 *
 * @param encode converts a task to at least one field; producers call this function
 * @param decode converts the fields of an entry to a task; consumers call this function. The map has the fields in the
 *     order of the entry. If a field name occurs twice, the map contains the last value
 * @param <T> the type of the tasks
 */
public record FieldsCodec<T>(
        Function<? super T, Map<String, byte[]>> encode, Function<Map<String, byte[]>, ? extends T> decode) {

    /**
     * The codec of tasks that are maps of texts. Encodes each value as UTF-8, and rejects values that are not valid
     * UTF-8.
     */
    public static final FieldsCodec<Map<String, String>> TEXT = new FieldsCodec<>(
            fields -> each(fields, Codec.text()::encode), fields -> each(fields, Codec.text()::decode));

    /**
     * Returns a codec that stores a task in the single field {@code name}. The codec ignores the other fields of an
     * entry, and rejects an entry without the field {@code name}.
     */
    public static <T> FieldsCodec<T> of(String name, Codec<T> codec) {
        return new FieldsCodec<>(task -> Map.of(name, codec.encode(task)), fields -> {
            byte[] value = fields.get(name);
            if (value == null) {
                throw new IllegalArgumentException("a stream entry has no field for the task: expected=" + name
                        + ", fields=" + fields.keySet() + ". Use a codec that can read the fields of the entry.");
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
