// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.Objects;
import java.util.Optional;

/** Converts the loaders of the application to the loaders of a lookup. */
final class Loaders {

    private Loaders() {}

    /** Returns {@code loader} as a loader whose keys always have values. */
    static <V> OptionalLoader<V> requiringValue(Loader<? extends V> loader) {
        Objects.requireNonNull(loader, "loader");
        return key -> Optional.of(Objects.requireNonNull(
                loader.load(key), "the loader returned null. To cache the absence of a value, call find."));
    }

    @SuppressWarnings("unchecked") // the value type is only returned
    static <V> OptionalLoader<V> returning(OptionalLoader<? extends V> loader) {
        return (OptionalLoader<V>) Objects.requireNonNull(loader, "loader");
    }
}
