// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/**
 * Finds the options that the user typed. The class reads the annotations of the argument fields, so no second list of
 * the options is needed.
 */
final class TypedOptions {

    private TypedOptions() {}

    /**
     * Returns the names of the options that have a value in {@code arguments}, in the order of the Java fields of the
     * options.
     */
    static List<String> in(Object arguments) {
        List<String> names = new ArrayList<>();
        for (Field field : arguments.getClass().getDeclaredFields()) {
            Option option = field.getAnnotation(Option.class);
            if (option != null && isTyped(valueOf(field, arguments))) {
                names.add(option.names()[0]);
            }
        }
        return names;
    }

    private static Object valueOf(Field field, Object arguments) {
        try {
            return field.get(arguments);
        } catch (IllegalAccessException notPackagePrivate) {
            throw new IllegalStateException(field + " is not readable", notPackagePrivate);
        }
    }

    private static boolean isTyped(Object value) {
        return switch (value) {
            case Optional<?> optional -> optional.isPresent();
            case List<?> list -> !list.isEmpty();
            case Boolean flag -> flag;
            default -> throw new IllegalStateException("an option of this type is unknown: " + value.getClass());
        };
    }
}
