// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Named values. A test adds the values, and a JUnit extension checks them after the test. */
final class WatchedValues<T> {

    private final Predicate<T> right;
    private final List<Entry<T>> entries = new CopyOnWriteArrayList<>();

    WatchedValues(Predicate<T> right) {
        this.right = right;
    }

    void add(String name, Supplier<T> figures) {
        entries.add(new Entry<>(name, figures));
    }

    /**
     * Waits until all values are correct or {@code timeout} has passed. Then removes all values. Returns a description
     * of each value that is still wrong.
     */
    List<String> awaitAllRight(Duration timeout) {
        List<Entry<T>> all = new ArrayList<>(entries);
        entries.clear();
        Polling.until(() -> all.stream().allMatch(this::isRight), timeout);
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
