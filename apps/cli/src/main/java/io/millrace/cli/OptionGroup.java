// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.Setting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Options with a common heading in the help text. A class of arguments has a group, and creates its options with the
 * methods of this group. The help text has the order in which the options were created.
 */
final class OptionGroup {

    /** Placeholder of the options whose value is a path. */
    static final String FILE = "FILE";

    private final String heading;
    private final List<Option<?>> options = new ArrayList<>();

    /** Creates a group. Without a heading, the text is empty. */
    OptionGroup(String heading) {
        this.heading = heading;
    }

    /** A group with options that another group has created, for a second command with some of the same options. */
    static OptionGroup of(String heading, Option<?>... some) {
        OptionGroup group = new OptionGroup(heading);
        group.options.addAll(List.of(some));
        return group;
    }

    String heading() {
        return heading;
    }

    List<Option<?>> options() {
        return Collections.unmodifiableList(options);
    }

    /** Returns the names of the options that the user typed. */
    List<String> typedNames() {
        return options.stream().filter(Option::isTyped).map(Option::name).toList();
    }

    /** An option without a value. */
    Option<Boolean> flag(String name, String help) {
        return value(name, "", () -> help, text -> true);
    }

    /** An option whose value is any text. {@code names} may contain two names, separated by a comma. */
    Option<String> text(String names, String label, String help) {
        return value(names, label, () -> help, text -> text);
    }

    /** An option whose value is a path. */
    Option<Path> file(String name, String help) {
        return value(name, FILE, () -> help, Path::of);
    }

    /** An option whose value is a list, separated by commas. */
    Option<List<String>> list(String name, String label, String help) {
        return value(name, label, () -> help, text -> List.of(text.split(",")));
    }

    /**
     * An option whose value is a list, separated by commas, and that may be repeated. Each occurrence adds to the list.
     *
     * @param check throws {@link IllegalArgumentException} with a sentence for the user if an element is not valid
     */
    Option<List<String>> repeatable(String name, String label, String help, Consumer<List<String>> check) {
        return add(new Option<>(
                names(name),
                label,
                List.of(),
                () -> help,
                text -> {
                    List<String> elements = List.of(text.split(",", -1));
                    check.accept(elements);
                    return elements;
                },
                Optional.empty(),
                Optional.of((before, more) ->
                        Stream.of(before, more).flatMap(List::stream).toList())));
    }

    /** An option whose value is a word of an enum, in lower case. {@code kind} is a noun for messages. */
    <E extends Enum<E>> Option<E> word(String name, String label, String kind, Class<E> type, String help) {
        return add(new Option<>(
                names(name),
                label,
                Words.of(type),
                () -> help,
                text -> Words.parse(kind, type, text),
                Optional.empty(),
                Optional.empty()));
    }

    /** An option with words for the completion of the shell. The converter may accept more words. */
    <T> Option<T> word(
            String name, String label, List<String> words, Supplier<String> help, Function<String, T> converter) {
        return add(new Option<>(names(name), label, words, help, converter, Optional.empty(), Optional.empty()));
    }

    /** An option of another type. */
    <T> Option<T> value(String names, String label, Supplier<String> help, Function<String, T> converter) {
        return add(new Option<>(names(names), label, List.of(), help, converter, Optional.empty(), Optional.empty()));
    }

    /** An option that changes {@code setting}. The help text and the range are those of the setting. */
    <T extends Comparable<T>> Option<T> setting(
            String name, String label, Setting<T> setting, Function<String, T> converter) {
        return setting(name, label, setting, converter, help -> help);
    }

    /** The same, with more words in the help text: {@code help} receives the help text of the setting. */
    <T extends Comparable<T>> Option<T> setting(
            String name,
            String label,
            Setting<T> setting,
            Function<String, T> converter,
            Function<String, String> help) {
        return add(new Option<>(
                names(name),
                label,
                List.of(),
                () -> help.apply(help(setting)),
                converter,
                Optional.of(setting),
                Optional.empty()));
    }

    private <T> Option<T> add(Option<T> option) {
        options.add(option);
        return option;
    }

    private static List<String> names(String names) {
        return List.of(names.split(","));
    }

    /** The meaning, the range and the default of {@code setting}. */
    private static String help(Setting<?> setting) {
        String meaning = setting.help().substring(0, setting.help().length() - 1);
        return meaning + ": " + setting.rangeText() + ". Default: " + setting.defaultText() + ".";
    }
}
