// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** One of a few words; the constants of an enum, typed in lower case. */
final class WordText<E extends Enum<E>> implements ITypeConverter<E> {

    private final String what;
    private final Class<E> words;

    /** Words of {@code words}; {@code what} names them in the message of a bad one. */
    WordText(String what, Class<E> words) {
        this.what = what;
        this.words = words;
    }

    @Override
    public E convert(String text) {
        return Arrays.stream(words.getEnumConstants())
                .filter(word -> lower(word).equals(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException(
                        "'" + text + "' is an unknown " + what + ". Legal: " + all() + "."));
    }

    private String all() {
        return Arrays.stream(words.getEnumConstants()).map(WordText::lower).collect(Collectors.joining(", "));
    }

    private static String lower(Enum<?> word) {
        return word.name().toLowerCase(Locale.ROOT);
    }
}
