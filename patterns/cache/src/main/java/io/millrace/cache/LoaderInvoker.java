// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Calls loaders, ends the loads for their callers, and encodes the results. Thread-safe. */
final class LoaderInvoker<V> {

    private final EntryEncoder<V> entryEncoder;
    private final EntryStore<V> entryStore;
    private final LoadTimeouts<V> timeouts;
    private final ClockAndRandom clockAndRandom;
    private final StatsCounter statsCounter;

    LoaderInvoker(
            EntryEncoder<V> entryEncoder,
            EntryStore<V> entryStore,
            LoadTimeouts<V> timeouts,
            ClockAndRandom clockAndRandom,
            StatsCounter statsCounter) {
        this.entryEncoder = entryEncoder;
        this.entryStore = entryStore;
        this.timeouts = timeouts;
        this.clockAndRandom = clockAndRandom;
        this.statsCounter = statsCounter;
    }

    /** A loader call in progress, with the event that records the call. */
    private record BegunCall<V>(
            Load<V> first, LoadTimeouts.RunningCall<V> running, CacheEvents.CacheLoad event, long beganNanos) {}

    /**
     * Calls the loader on the current thread and ends the load.
     *
     * @return the entry to write; empty if there is nothing to write, or the loader exceeded the load timeout
     * @throws InterruptedException if the cache was closed before the call; the load has then ended already
     */
    Optional<EncodedEntry> invoke(Load<V> load) throws InterruptedException {
        BegunCall<V> begun = begin(List.of(load));
        @Nullable V value;
        try {
            Optional<? extends V> loaded =
                    load.call.run(() -> load.request.loader().load(load.key()));
            value = loaded.orElse(null);
        } catch (Throwable e) { // callers receive an Error of the loader too
            return end(begun, e.getClass().getName()) ? failed(load, e, begun) : Optional.empty();
        }
        return end(begun, "") ? succeeded(load, value) : Optional.empty();
    }

    /**
     * Calls the bulk loader on the current thread and ends the loads, which share one {@link LoaderCall}.
     *
     * @return the entries to write
     * @throws InterruptedException if the cache was closed before the call
     */
    List<LoadedEntry<V>> invokeAll(List<Load<V>> loads, BulkLoader<? extends V> loader) throws InterruptedException {
        Set<String> keys = new LinkedHashSet<>();
        loads.forEach(load -> keys.add(load.key()));
        BulkFailures failures = new BulkFailures(keys);
        BegunCall<V> begun = begin(loads);
        Map<String, ? extends V> values;
        try {
            Map<String, ? extends V> loaded =
                    begun.first().call.run(() -> loader.load(Collections.unmodifiableSet(keys), failures));
            values = requireMap(loaded);
        } catch (Throwable e) {
            return end(begun, e.getClass().getName()) ? entries(loads, load -> failed(load, e, begun)) : List.of();
        }
        if (!end(begun, "")) {
            return List.of();
        }
        return entries(loads, load -> {
            Throwable failure = failures.cause(load.key());
            return failure == null ? succeeded(load, values.get(load.key())) : failed(load, failure, begun);
        });
    }

    /** Rejects null as the result of a bulk loader. */
    static <V> Map<String, ? extends V> requireMap(Map<String, ? extends V> values) {
        return Objects.requireNonNull(
                values, "the bulk loader returned null. To report that no key has a value, return an empty map.");
    }

    private List<LoadedEntry<V>> entries(List<Load<V>> loads, LoadEnd<V> loadEnd) {
        List<LoadedEntry<V>> entries = new ArrayList<>(loads.size());
        for (Load<V> load : loads) {
            loadEnd.end(load).ifPresent(encodedEntry -> entries.add(new LoadedEntry<>(load, encodedEntry)));
        }
        return entries;
    }

    /** Ends a load for its callers, and returns the entry to write. */
    private interface LoadEnd<V> {

        Optional<EncodedEntry> end(Load<V> load);
    }

    private BegunCall<V> begin(List<Load<V>> loads) throws InterruptedException {
        if (loads.getFirst().isClosed()) {
            throw new InterruptedException("the cache is closed");
        }
        CacheEvents.CacheLoad event = new CacheEvents.CacheLoad();
        event.begin();
        return new BegunCall<>(loads.getFirst(), timeouts.begin(loads), event, nanos());
    }

    /**
     * Ends the loans and the time limit of the call, and counts the call. Returns false if the loader exceeded the load
     * timeout. The loads have then ended already.
     */
    private boolean end(BegunCall<V> begun, String failure) {
        begun.first().call.end();
        boolean inTime = timeouts.end(begun.running());
        count(begun, failure);
        if (!inTime) {
            begun.first().clearInterrupt(); // the timeout has set the flag
        }
        return inTime;
    }

    private void count(BegunCall<V> begun, String failure) {
        boolean background = begun.first().background;
        statsCounter.loads.increment();
        if (background) {
            statsCounter.refreshes.increment();
        }
        if (!failure.isEmpty()) {
            statsCounter.loadFailures.increment();
        }
        CacheEvents.CacheLoad event = begun.event();
        if (event.shouldCommit()) {
            event.cache = entryStore.name();
            event.background = background;
            event.failure = failure;
            event.commit();
        }
    }

    private Optional<EncodedEntry> failed(Load<V> load, Throwable cause, BegunCall<V> begun) {
        Optional<EncodedEntry> kept = load.background ? Optional.empty() : entryEncoder.failure(load.key(), cause);
        long afterMillis = TimeUnit.NANOSECONDS.toMillis(nanos() - begun.beganNanos());
        complete(load, new LoadOutcome.Failed<>(cause, afterMillis, kept.isPresent()));
        return kept;
    }

    private Optional<EncodedEntry> succeeded(Load<V> load, @Nullable V value) {
        if (value == null) {
            return foundNothing(load);
        }
        complete(load, new LoadOutcome.Completed<>(Entry.loaded(value)));
        try {
            return Optional.of(entryEncoder.value(load.key(), value));
        } catch (RuntimeException e) { // the codec or the expiry policy failed; callers have the value
            entryStore.recordError("encode", e);
            return Optional.empty();
        }
    }

    private Optional<EncodedEntry> foundNothing(Load<V> load) {
        Optional<EncodedEntry> negative;
        try {
            // If a background load finds no value, the old value must disappear even if negative entries are not
            // cached.
            negative = load.background
                    ? Optional.of(entryEncoder.negativeReplacement(load.key()))
                    : entryEncoder.negative(load.key());
        } catch (RuntimeException e) { // the load still ends for its callers
            entryStore.recordError("encode", e);
            negative = Optional.empty();
        }
        complete(load, new LoadOutcome.Completed<>(Entry.loaded(null), negative.isPresent()));
        return negative;
    }

    /**
     * Ends the load. Also clears the interrupt flag if the loader has set this flag, because the flag would abort the
     * write.
     */
    private void complete(Load<V> load, LoadOutcome<V> outcome) {
        load.complete(outcome);
        if (!load.isClosed()) {
            load.clearInterrupt();
        }
    }

    private long nanos() {
        return clockAndRandom.nanos().getAsLong();
    }
}
