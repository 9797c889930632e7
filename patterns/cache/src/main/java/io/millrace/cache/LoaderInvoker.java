// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Calls the loader of a load, ends the load for its callers, and encodes the result. Thread-safe. */
final class LoaderInvoker<V> {

    private final EntryEncoder<V> entryEncoder;
    private final EntryStore<V> entryStore;
    private final ClockAndRandom clockAndRandom;
    private final StatsCounter statsCounter;

    LoaderInvoker(
            EntryEncoder<V> entryEncoder,
            EntryStore<V> entryStore,
            ClockAndRandom clockAndRandom,
            StatsCounter statsCounter) {
        this.entryEncoder = entryEncoder;
        this.entryStore = entryStore;
        this.clockAndRandom = clockAndRandom;
        this.statsCounter = statsCounter;
    }

    /**
     * Calls the loader on the current thread and ends the load.
     *
     * @return the entry to write; empty if there is nothing to write
     * @throws InterruptedException if the cache was closed before the call; the load has then ended already
     */
    Optional<EncodedEntry> invoke(Load<V> load) throws InterruptedException {
        if (load.isClosed()) {
            throw new InterruptedException("the cache is closed");
        }
        CacheEvents.CacheLoad event = new CacheEvents.CacheLoad();
        event.begin();
        long begun = nanos();
        @Nullable V value;
        try {
            value = load.request.loader().load(load.key()).orElse(null);
            count(load, event, "");
        } catch (Throwable e) { // callers receive an Error of the loader too
            count(load, event, e.getClass().getName());
            statsCounter.loadFailures.increment();
            Optional<EncodedEntry> kept = load.background ? Optional.empty() : entryEncoder.failure(load.key(), e);
            end(load, new LoadOutcome.Failed<>(e, TimeUnit.NANOSECONDS.toMillis(nanos() - begun), kept.isPresent()));
            return kept;
        }
        end(load, new LoadOutcome.Completed<>(Entry.loaded(value)));
        return encoded(load, value);
    }

    /**
     * Ends the load. Also clears the interrupt flag if the loader has set this flag, because the flag would abort the
     * write.
     */
    private void end(Load<V> load, LoadOutcome<V> outcome) {
        load.complete(outcome);
        if (!load.isClosed()) {
            boolean unused = Thread.interrupted();
        }
    }

    private void count(Load<V> load, CacheEvents.CacheLoad event, String failure) {
        statsCounter.loads.increment();
        if (load.background) {
            statsCounter.refreshes.increment();
        }
        if (event.shouldCommit()) {
            event.cache = entryStore.name();
            event.background = load.background;
            event.failure = failure;
            event.commit();
        }
    }

    private Optional<EncodedEntry> encoded(Load<V> load, @Nullable V value) {
        String key = load.key();
        try {
            if (value != null) {
                return Optional.of(entryEncoder.value(key, value));
            }
            // If a background load finds no value, the old value must disappear even if negative entries are not
            // cached.
            return load.background ? Optional.of(entryEncoder.negativeReplacement(key)) : entryEncoder.negative(key);
        } catch (RuntimeException e) { // the codec or the expiry policy failed; callers have the value
            entryStore.recordError("encode", e);
            return Optional.empty();
        }
    }

    private long nanos() {
        return clockAndRandom.nanos().getAsLong();
    }
}
