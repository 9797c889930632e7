// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses an enum constant from its lower-case name. */
final class EnumConverter<E extends Enum<E>> implements ITypeConverter<E> {

    private final String kind;
    private final Class<E> type;

    /**
     * Creates a converter for the constants of {@code type}. {@code kind} is a noun for the option value. The message
     * about an unknown word contains this noun.
     */
    EnumConverter(String kind, Class<E> type) {
        this.kind = kind;
        this.type = type;
    }

    @Override
    public E convert(String text) {
        return Arrays.stream(type.getEnumConstants())
                .filter(word -> lower(word).equals(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException(
                        "'" + text + "' is an unknown " + kind + ". Legal: " + all() + "."));
    }

    private String all() {
        return Arrays.stream(type.getEnumConstants()).map(EnumConverter::lower).collect(Collectors.joining(", "));
    }

    private static String lower(Enum<?> word) {
        return word.name().toLowerCase(Locale.ROOT);
    }
}
