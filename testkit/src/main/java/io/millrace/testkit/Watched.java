// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Named figures that a test wants looked at when it is over. */
final class Watched<T> {

    private final Predicate<T> right;
    private final List<Entry<T>> entries = new CopyOnWriteArrayList<>();

    Watched(Predicate<T> right) {
        this.right = right;
    }

    void add(String name, Supplier<T> figures) {
        entries.add(new Entry<>(name, figures));
    }

    /** Looks until all are right or {@code patience} is at its end, says what is wrong then, and forgets them. */
    List<String> wrong(Duration patience) {
        List<Entry<T>> all = new ArrayList<>(entries);
        entries.clear();
        Polling.until(() -> all.stream().allMatch(this::isRight), patience);
        return all.stream()
                .filter(entry -> !isRight(entry))
                .map(entry -> "name=" + entry.name + ", " + describe(entry))
                .toList();
    }

    private boolean isRight(Entry<T> entry) {
        try {
            return right.test(entry.figures.get());
        } catch (RuntimeException e) {
            return false;
        }
    }

    private static String describe(Entry<?> entry) {
        try {
            return String.valueOf(entry.figures.get());
        } catch (RuntimeException e) {
            return "figures=" + e;
        }
    }

    private record Entry<T>(String name, Supplier<T> figures) {}
}
