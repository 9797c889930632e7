// SPDX-License-Identifier: Apache-2.0
package io.millrace.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.ToDoubleFunction;

/**
 * Registers the meters of an object, and removes them later. A registry keeps only a weak reference to the object.
 * Thread-safe.
 *
 * @param <T> the type of the object whose numbers the meters read
 */
final class RegisteredMeters<T> {

    private final T source;
    private final Tags tags;
    private final Queue<Registered> all = new ConcurrentLinkedQueue<>();

    private record Registered(MeterRegistry registry, Meter meter) {}

    /** @param tags the tags of all meters */
    RegisteredMeters(T source, Tags tags) {
        this.source = source;
        this.tags = tags;
    }

    /** Registers a counter, whose value {@code read} returns when the registry is scraped. */
    void counter(MeterRegistry registry, String name, Tags more, String description, ToDoubleFunction<T> read) {
        add(
                registry,
                FunctionCounter.builder(name, source, read)
                        .tags(tags.and(more))
                        .description(description)
                        .register(registry));
    }

    /**
     * Registers a gauge, whose value {@code read} returns when the registry is scraped.
     *
     * @param unit unit of the values; empty for a number of things
     */
    void gauge(
            MeterRegistry registry, String name, Tags more, String unit, String description, ToDoubleFunction<T> read) {
        add(
                registry,
                Gauge.builder(name, source, read)
                        .tags(tags.and(more))
                        .baseUnit(unit.isEmpty() ? null : unit)
                        .description(description)
                        .register(registry));
    }

    /** Registers a timer. */
    Timer timer(MeterRegistry registry, String name, String description) {
        Timer timer = Timer.builder(name).tags(tags).description(description).register(registry);
        add(registry, timer);
        return timer;
    }

    private void add(MeterRegistry registry, Meter meter) {
        all.add(new Registered(registry, meter));
    }

    /** Removes all meters from their registries. */
    void removeAll() {
        for (Registered next = all.poll(); next != null; next = all.poll()) {
            next.registry().remove(next.meter());
        }
    }
}
