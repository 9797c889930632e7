// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.Setting;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one group whose values are settings. A value that is out of range fails the start with the name of its key.
 *
 * @param prefix prefix of the keys, such as {@code millrace.redis}
 */
record SettingKeys(String prefix) {

    /** Passes the value of a key to {@code option}. Does nothing if the key is absent. */
    <T extends Comparable<T>> void set(String key, @Nullable T value, Setting<T> setting, Consumer<T> option) {
        if (value != null) {
            option.accept(check(key, value, setting));
        }
    }

    /** Returns the value of a key, or the default of the setting if the key is absent. */
    <T extends Comparable<T>> T valueOf(String key, @Nullable T value, Setting<T> setting) {
        return value == null ? setting.defaultValue() : check(key, value, setting);
    }

    private <T extends Comparable<T>> T check(String key, T value, Setting<T> setting) {
        if (!setting.accepts(value)) {
            throw new KeyException(
                    setting.outOfRange(prefix + "." + key + "=" + setting.unit().text(value)),
                    "Choose a value in this range, or remove the key to get the default, " + setting.defaultText()
                            + ".");
        }
        return value;
    }

    /** Runs a builder. Its exception for values that contradict each other becomes one with the prefix of the keys. */
    <T> T build(Supplier<T> builder) {
        try {
            return builder.get();
        } catch (IllegalArgumentException contradiction) {
            throw new KeyException(
                    "the keys " + prefix + ".* cannot be used: " + contradiction.getMessage(),
                    "Correct the keys that the message names. The names of the keys have hyphens instead of capitals.",
                    contradiction);
        }
    }
}
