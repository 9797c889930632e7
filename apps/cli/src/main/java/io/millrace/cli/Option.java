// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.Setting;
import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * An option of the command line: its definition, and the value that the user typed. {@link OptionGroup} creates options.
 *
 * <p>An option is defined without picocli. Loading picocli takes as long as a load of 10,000 rows, so only help texts,
 * error messages and unusual command lines use picocli.
 *
 * @param <T> type of the value; {@link Boolean} for an option without a value
 */
final class Option<T> {

    /** A text that the user typed, and the value that the text stands for. */
    record Typed<T>(String text, T value) {}

    private final List<String> names;
    private final String label;
    private final List<String> words;
    private final Supplier<String> help;
    private final Function<String, T> converter;
    private final Optional<Setting<?>> setting;
    private final Optional<BinaryOperator<T>> merger;

    private Optional<Typed<T>> typed = Optional.empty();

    /**
     * Creates an option.
     *
     * @param names names with their dashes; the last name is used in messages
     * @param label placeholder of the value in the help text; empty for an option without a value
     * @param words the legal values, for the completion of the shell; empty if there is no such list
     * @param help the help text, without line breaks. Supplied only if the help is printed
     * @param converter throws {@link IllegalArgumentException} with a sentence for the user if the text is not valid
     * @param setting the setting that limits the value
     * @param merger adds the value of a later occurrence of the option to the earlier value. Empty if the option must not be
     *     repeated
     */
    Option(
            List<String> names,
            String label,
            List<String> words,
            Supplier<String> help,
            Function<String, T> converter,
            Optional<Setting<?>> setting,
            Optional<BinaryOperator<T>> merger) {
        this.names = names;
        this.label = label;
        this.words = words;
        this.help = help;
        this.converter = converter;
        this.setting = setting;
        this.merger = merger;
    }

    /** The value that the user typed; empty if the user did not type the option. */
    Optional<T> value() {
        return typed.map(Typed::value);
    }

    /** Whether the user typed the option. */
    boolean isTyped() {
        return typed.isPresent();
    }

    /**
     * Converts a typed text.
     *
     * @throws IllegalArgumentException if the text is not valid
     */
    Typed<T> convert(String text) {
        return new Typed<>(text, converter.apply(text));
    }

    /** Records what the user typed. If the option is repeatable, adds it to what the user typed before. */
    void set(Typed<T> typed) {
        this.typed = Optional.of(this.typed
                .flatMap(before -> merger.map(merge ->
                        new Typed<>(before.text() + "," + typed.text(), merge.apply(before.value(), typed.value()))))
                .orElse(typed));
    }

    /** Whether the user may type the option several times. */
    boolean isRepeatable() {
        return merger.isPresent();
    }

    /**
     * Checks that the typed value is in the range of the setting.
     *
     * @throws UsageException if the value is out of range
     */
    void checkRange() {
        typed.ifPresent(text -> setting.ifPresent(limits -> checkRange(limits, text)));
    }

    private <S extends Comparable<S>> void checkRange(Setting<S> limits, Typed<T> typed) {
        @SuppressWarnings("unchecked") // OptionGroup.setting gives an option and its setting the same type
        S value = (S) typed.value();
        if (!limits.accepts(value)) {
            throw new UsageException(limits.outOfRange(name() + " " + typed.text()));
        }
    }

    /** The name for messages. */
    String name() {
        return names.getLast();
    }

    List<String> names() {
        return names;
    }

    String label() {
        return label;
    }

    /** Whether the option takes a value. */
    boolean takesValue() {
        return !label.isEmpty();
    }

    List<String> words() {
        return words;
    }

    String help() {
        return help.get();
    }

    Optional<Setting<?>> setting() {
        return setting;
    }
}
