// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.client.Setting;
import java.io.Serializable;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The options that the user has given for a write, as text. Serializable, because the executors need them, too. The text of
 * this object contains no secrets.
 */
final class WriteOptions implements Serializable {

    private static final long serialVersionUID = 1L;

    private final EnumMap<WriteOption, String> values;

    private WriteOptions(EnumMap<WriteOption, String> values) {
        this.values = values;
    }

    /**
     * Returns the options in {@code given}.
     *
     * @throws SparkLoadException if a name is unknown
     */
    static WriteOptions of(Map<String, String> given) {
        EnumMap<WriteOption, String> values = new EnumMap<>(WriteOption.class);
        given.forEach((name, value) -> values.put(WriteOption.named(name).orElseThrow(() -> unknown(name)), value));
        return new WriteOptions(values);
    }

    private static SparkLoadException unknown(String name) {
        String advice = SimilarName.of(name, WriteOption.names())
                .map(similar -> "Did you mean " + similar + "?")
                .orElse("Legal: " + String.join(", ", WriteOption.names()) + ".");
        return new SparkLoadException("unknown option: " + name + ". " + advice);
    }

    /** These options without the others. */
    WriteOptions only(Set<WriteOption> kept) {
        EnumMap<WriteOption, String> fewer = new EnumMap<>(values);
        fewer.keySet().retainAll(kept);
        return new WriteOptions(fewer);
    }

    boolean has(WriteOption option) {
        return values.containsKey(option);
    }

    Optional<String> text(WriteOption option) {
        return Optional.ofNullable(values.get(option));
    }

    /** The value of an option that must be given. {@code meaning} tells the user its meaning. */
    String required(WriteOption option, String meaning) {
        return text(option)
                .orElseThrow(() -> new SparkLoadException("option " + option.text() + " is missing: " + meaning + "."));
    }

    /** Whether the option is {@code true}. */
    boolean flag(WriteOption option) {
        return value(option, text -> switch (text) {
                    case "true" -> true;
                    case "false" -> false;
                    default -> throw new IllegalArgumentException("'" + text + "' is not true or false.");
                })
                .orElse(false);
    }

    /** The names in a list that is separated by commas. */
    List<String> list(WriteOption option) {
        return text(option)
                .map(text ->
                        Arrays.stream(text.split(",", -1)).map(String::strip).toList())
                .orElse(List.of());
    }

    /**
     * The value of an option.
     *
     * @param parser returns the value of a text; throws {@link IllegalArgumentException} if the text is not valid
     */
    <T> Optional<T> value(WriteOption option, Function<String, T> parser) {
        return text(option).map(text -> {
            try {
                return parser.apply(text);
            } catch (IllegalArgumentException refused) {
                throw new SparkLoadException("option " + option.text() + ": " + refused.getMessage(), refused);
            }
        });
    }

    /** The value of an option with a range. */
    <T extends Comparable<T>> Optional<T> setting(WriteOption option, Setting<T> setting, Function<String, T> parser) {
        return value(option, text -> {
            T value = parser.apply(text);
            setting.check(value);
            return value;
        });
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof WriteOptions options && values.equals(options.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    /** The names of the options. */
    @Override
    public String toString() {
        return "options "
                + String.join(
                        ", ", values.keySet().stream().map(WriteOption::text).toList());
    }
}
