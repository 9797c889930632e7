// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * How a task becomes the fields of a stream's entry, at least one, and is made of them again. Both functions are called by several
 * threads at once. What {@code decode} refuses, by an exception, is not lost: it is dead-lettered.
 *
 * @param encode of the producer
 * @param decode of the consumer, given the fields in the entry's order; of a name that comes twice the last value
 * @param <T> a task
 */
public record FieldsCodec<T>(
        Function<? super T, Map<String, byte[]>> encode, Function<Map<String, byte[]>, ? extends T> decode) {

    /** Fields that are text in UTF-8; bytes that are none are refused. */
    public static final FieldsCodec<Map<String, String>> TEXT = new FieldsCodec<>(
            fields -> each(fields, TaskCodec.TEXT.encode()), fields -> each(fields, TaskCodec.TEXT.decode()));

    /** A task that is the one field {@code name}; an entry without it is refused, other fields are not looked at. */
    public static <T> FieldsCodec<T> of(String name, TaskCodec<T> codec) {
        return new FieldsCodec<>(task -> Map.of(name, codec.encode().apply(task)), fields -> {
            byte[] value = fields.get(name);
            if (value == null) {
                throw new IllegalArgumentException("an entry is no task: its fields are " + fields.keySet()
                        + ", none is " + name + ". Give the queue a codec that reads it.");
            }
            return codec.decode().apply(value);
        });
    }

    private static <A, B> Map<String, B> each(Map<String, A> fields, Function<? super A, ? extends B> change) {
        Map<String, B> changed = new LinkedHashMap<>();
        fields.forEach((name, value) -> changed.put(name, change.apply(value)));
        return changed;
    }
}
