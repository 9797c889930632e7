// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Converts between the constants of an enum and the words of the command line, which are in lower case. */
final class Words {

    private Words() {}

    /** The words of {@code type}. */
    static <E extends Enum<E>> List<String> of(Class<E> type) {
        return Arrays.stream(type.getEnumConstants()).map(Words::of).toList();
    }

    /**
     * Returns the constant of {@code text}.
     *
     * @param kind a noun for the message about an unknown word
     * @throws IllegalArgumentException if there is no such constant
     */
    static <E extends Enum<E>> E parse(String kind, Class<E> type, String text) {
        return Arrays.stream(type.getEnumConstants())
                .filter(constant -> of(constant).equals(text))
                .findFirst()
                .orElseThrow(() -> unknown(kind, of(type), text));
    }

    /** The error for a word that is not one of {@code words}. */
    static IllegalArgumentException unknown(String kind, List<String> words, String text) {
        return new IllegalArgumentException(
                "'" + text + "' is an unknown " + kind + ". Legal: " + String.join(", ", words) + ".");
    }

    private static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
