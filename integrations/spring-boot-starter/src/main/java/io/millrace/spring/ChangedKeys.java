// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The names of the keys whose values differ from the defaults. */
final class ChangedKeys {

    private ChangedKeys() {}

    /**
     * Returns the keys of {@code values} that differ from {@code defaults}, a record of the same class. A component that is
     * a record is a group of keys.
     *
     * @param prefix prefix of the keys, with a dot at its end
     */
    static List<String> of(Record values, Record defaults, String prefix) {
        List<String> changed = new ArrayList<>();
        for (RecordComponent component : values.getClass().getRecordComponents()) {
            Object value = value(component, values);
            Object byDefault = value(component, defaults);
            String key = prefix + hyphenated(component.getName());
            if (value instanceof Record group && byDefault instanceof Record other) {
                changed.addAll(of(group, other, key + "."));
            } else if (!Objects.equals(value, byDefault)) {
                changed.add(key);
            }
        }
        return changed;
    }

    private static @Nullable Object value(RecordComponent component, Record values) {
        try {
            return component.getAccessor().invoke(values);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException("a component cannot be read: " + component, impossible);
        }
    }

    private static String hyphenated(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
