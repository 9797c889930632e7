// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.cache.InFlightLoads.JoinedLoad;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Answers lookups of many keys: batched reads, concurrent loads or one bulk load, and batched writes. */
final class MultiGet<V> {

    private final Lookups<V> lookups;
    private final NearCache<V> nearCache;
    private final EntryStore<V> entryStore;
    private final InFlightLoads<V> inFlightLoads;
    private final LoadedEntryWriter<V> writer;
    private final BulkLoads<V> bulkLoads;
    private final StatsCounter statsCounter;

    MultiGet(
            Lookups<V> lookups,
            NearCache<V> nearCache,
            EntryStore<V> entryStore,
            InFlightLoads<V> inFlightLoads,
            LoadedEntryWriter<V> writer,
            BulkLoads<V> bulkLoads,
            StatsCounter statsCounter) {
        this.lookups = lookups;
        this.nearCache = nearCache;
        this.entryStore = entryStore;
        this.inFlightLoads = inFlightLoads;
        this.writer = writer;
        this.bulkLoads = bulkLoads;
        this.statsCounter = statsCounter;
    }

    /** A key that neither the near cache nor Redis could answer. */
    private record MissingKey<V>(LookupRequest<V> request, long stamp) {}

    /** A key whose value is being loaded. */
    private record LoadingKey<V>(LookupRequest<V> request, JoinedLoad<V> joined) {}

    /** Looks up all keys, and loads each missing key separately. Waits for at most the deadline. */
    LookupResults<V> each(Collection<String> keys, OptionalLoader<V> loader, boolean acceptsNegative) {
        long deadlineNanos = lookups.newDeadline();
        KeyAnswers<V> answers = new KeyAnswers<>(keys);
        List<MissingKey<V>> missing = findStored(answers, loader, acceptsNegative, deadlineNanos);
        if (missing.isEmpty()) {
            return answers.results(lookups);
        }
        WriteBatch<V> writeBatch = new WriteBatch<>(writer);
        try {
            List<LoadingKey<V>> loading = new ArrayList<>(missing.size());
            for (MissingKey<V> key : missing) {
                loading.add(new LoadingKey<>(key.request(), lookups.join(key.request(), key.stamp(), writeBatch)));
            }
            writeBatch.allExpected();
            await(loading, answers, deadlineNanos);
        } finally {
            writeBatch.close();
        }
        return answers.results(lookups);
    }

    /** Looks up all keys, and loads the missing keys together. Waits for at most the deadline. */
    LookupResults<V> bulk(Collection<String> keys, BulkLoader<? extends V> loader) {
        long deadlineNanos = lookups.newDeadline();
        KeyAnswers<V> answers = new KeyAnswers<>(keys);
        List<MissingKey<V>> missing = findStored(answers, key -> loadOne(key, loader), true, deadlineNanos);
        List<LoadingKey<V>> loading = new ArrayList<>(missing.size());
        List<JoinedLoad<V>> started = new ArrayList<>();
        LoaderCall call = new LoaderCall();
        for (MissingKey<V> key : missing) {
            JoinedLoad<V> joined = inFlightLoads.join(key.request(), key.stamp(), call);
            loading.add(new LoadingKey<>(key.request(), joined));
            if (joined.mustStart()) {
                started.add(joined);
            } else {
                statsCounter.waits.increment();
            }
        }
        if (!started.isEmpty()) {
            bulkLoads.start(started, loader);
        }
        await(loading, answers, deadlineNanos);
        return answers.results(lookups);
    }

    /** Loads one key with a bulk loader. Needed if another process held the lease of the key, or a load was repeated. */
    private static <V> Optional<? extends V> loadOne(String key, BulkLoader<? extends V> loader) throws Exception {
        Set<String> keys = Set.of(key);
        BulkFailures failures = new BulkFailures(keys);
        Map<String, ? extends V> loaded = LoaderInvoker.requireMap(loader.load(keys, failures));
        Throwable cause = failures.cause(key);
        if (cause instanceof Error error) {
            throw error;
        }
        if (cause != null) {
            throw cause instanceof Exception failure ? failure : new IllegalStateException(cause);
        }
        return Optional.ofNullable(loaded.get(key));
    }

    /**
     * Answers keys from the near cache and from Redis. Returns the other keys. If the deadline passes during the read,
     * all other keys fail, and the result is empty.
     */
    private List<MissingKey<V>> findStored(
            KeyAnswers<V> answers, OptionalLoader<V> loader, boolean acceptsNegative, long deadlineNanos) {
        List<Map.Entry<String, Object>> slots = answers.slots();
        List<Map.Entry<String, Object>> pending = new ArrayList<>(slots.size());
        long[] stamps = new long[slots.size()];
        for (Map.Entry<String, Object> slot : slots) {
            String key = slot.getKey();
            Entry<V> kept = nearCache.find(key);
            if (kept != null && lookups.tryServe(new LookupRequest<>(key, loader, acceptsNegative), kept, true)) {
                slot.setValue(kept);
                continue;
            }
            if (kept == null) {
                lookups.countIfNearDown();
            }
            stamps[pending.size()] = inFlightLoads.stamp(key);
            pending.add(slot);
        }
        List<MissingKey<V>> missing = new ArrayList<>();
        List<Entry<V>> entries = read(pending, deadlineNanos);
        for (int i = 0; i < entries.size(); i++) {
            LookupRequest<V> request = new LookupRequest<>(pending.get(i).getKey(), loader, acceptsNegative);
            if (lookups.tryServe(request, entries.get(i), false)) {
                pending.get(i).setValue(entries.get(i));
            } else {
                missing.add(new MissingKey<>(request, stamps[i]));
            }
        }
        statsCounter.misses.add(missing.size());
        if (missing.isEmpty() || lookups.nanosLeft(deadlineNanos) > 0) {
            return missing;
        }
        missing.forEach(key -> answers.fail(key.request().key(), lookups.timeoutException("Redis")));
        return List.of();
    }

    /** Reads the entries of all slots from Redis and offers them to the near cache. */
    private List<Entry<V>> read(List<Map.Entry<String, Object>> pending, long deadlineNanos) {
        if (pending.isEmpty()) {
            return List.of();
        }
        List<String> keys = new ArrayList<>(pending.size());
        List<NearCache.PendingRead> tickets = new ArrayList<>(pending.size());
        for (Map.Entry<String, Object> slot : pending) {
            keys.add(slot.getKey());
            tickets.add(nearCache.beginRead(slot.getKey()));
        }
        List<Entry<V>> entries = entryStore.readAll(keys, () -> lookups.nanosLeft(deadlineNanos));
        for (int i = 0; i < entries.size(); i++) {
            lookups.completeNearRead(tickets.get(i), entries.get(i));
        }
        return entries;
    }

    private void await(List<LoadingKey<V>> loading, KeyAnswers<V> answers, long deadlineNanos) {
        LoaderCall outer = LoaderCall.current();
        if (outer == null) {
            loading.forEach(one -> await(one, answers, deadlineNanos));
            return;
        }
        // A loader publishes all waits first, so that a cycle is found before the wait for the first key.
        List<LoadingKey<V>> awaited = new ArrayList<>(loading.size());
        try {
            for (LoadingKey<V> one : loading) {
                if (outer.tryBeginWait(one.joined().load().call)) {
                    awaited.add(one);
                } else {
                    answers.fail(one.request().key(), cycle(lookups.cycle()));
                }
            }
            awaited.forEach(one -> await(one, answers, deadlineNanos));
        } finally {
            awaited.forEach(one -> outer.endWait(one.joined().load().call));
        }
    }

    private void await(LoadingKey<V> one, KeyAnswers<V> answers, long deadlineNanos) {
        String key = one.request().key();
        try {
            answers.answer(key, lookups.await(one.request(), one.joined(), deadlineNanos));
        } catch (LoadInterruptedException e) {
            throw e;
        } catch (LoadCycleException e) {
            answers.fail(key, cycle(e));
        } catch (CacheException e) {
            answers.fail(key, e);
        }
    }

    /** Returns the failure of a key that waits for itself. The other keys of the lookup have their own results. */
    private static LoadFailedException cycle(LoadCycleException e) {
        return new LoadFailedException(Objects.requireNonNull(e.getMessage()), e);
    }
}
