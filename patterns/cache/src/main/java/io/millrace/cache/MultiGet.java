// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.cache.InFlightLoads.JoinedLoad;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Answers a lookup of many keys: batched reads, concurrent loads, and batched writes of the loaded entries. */
final class MultiGet<V> {

    private final Lookups<V> lookups;
    private final NearCache<V> nearCache;
    private final EntryStore<V> entryStore;
    private final InFlightLoads<V> inFlightLoads;
    private final LoadedEntryWriter<V> writer;
    private final StatsCounter statsCounter;

    MultiGet(
            Lookups<V> lookups,
            NearCache<V> nearCache,
            EntryStore<V> entryStore,
            InFlightLoads<V> inFlightLoads,
            LoadedEntryWriter<V> writer,
            StatsCounter statsCounter) {
        this.lookups = lookups;
        this.nearCache = nearCache;
        this.entryStore = entryStore;
        this.inFlightLoads = inFlightLoads;
        this.writer = writer;
        this.statsCounter = statsCounter;
    }

    /** A key that the near cache could not answer. */
    private record PendingKey<V>(LookupRequest<V> request, long stamp) {}

    /** A key whose value is being loaded. */
    private record LoadingKey<V>(LookupRequest<V> request, JoinedLoad<V> joined) {}

    /**
     * Returns the values of all keys, in the order of the keys.
     *
     * @throws CacheException the first failure, if a key has no value because of a failure or the deadline; the other
     *     keys are loaded and written nevertheless
     */
    Map<String, V> answer(Collection<String> keys, OptionalLoader<V> optionalLoader) {
        long deadlineNanos = lookups.newDeadline();
        Set<String> distinct = new LinkedHashSet<>(keys);
        Map<String, Entry<V>> answers = new HashMap<>();
        List<PendingKey<V>> pending = new ArrayList<>();
        for (String key : distinct) {
            LookupRequest<V> lookupRequest = new LookupRequest<>(key, optionalLoader, false);
            Entry<V> kept = nearCache.find(key);
            if (kept != null && lookups.tryServe(lookupRequest, kept, true)) {
                answers.put(key, kept);
            } else {
                if (kept == null) {
                    lookups.countIfNearDown();
                }
                pending.add(new PendingKey<>(lookupRequest, inFlightLoads.stamp(key)));
            }
        }
        load(read(pending, answers, deadlineNanos), answers, deadlineNanos);
        Map<String, V> values = new LinkedHashMap<>();
        for (String key : distinct) {
            Entry<V> answer = Objects.requireNonNull(answers.get(key), "a requested key has no answer");
            values.put(key, lookups.requireNoFailure(answer).requireValue());
        }
        return Collections.unmodifiableMap(values);
    }

    /** Reads the keys from Redis, adds the found entries to the answers, and returns the missing keys. */
    private List<PendingKey<V>> read(List<PendingKey<V>> pending, Map<String, Entry<V>> answers, long deadlineNanos) {
        if (pending.isEmpty()) {
            return List.of();
        }
        List<String> keys = pending.stream().map(key -> key.request().key()).toList();
        List<NearCache.PendingRead> tickets =
                keys.stream().map(nearCache::beginRead).toList();
        List<Entry<V>> entries = entryStore.readAll(keys, () -> lookups.nanosLeft(deadlineNanos));
        List<PendingKey<V>> missing = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            Entry<V> entry = entries.get(i);
            lookups.completeNearRead(tickets.get(i), entry);
            if (lookups.tryServe(pending.get(i).request(), entry, false)) {
                answers.put(keys.get(i), entry);
            } else {
                missing.add(pending.get(i));
            }
        }
        statsCounter.misses.add(missing.size());
        return missing;
    }

    /** Loads the missing keys and adds the loaded entries to the answers. */
    private void load(List<PendingKey<V>> missing, Map<String, Entry<V>> answers, long deadlineNanos) {
        if (missing.isEmpty()) {
            return;
        }
        if (lookups.nanosLeft(deadlineNanos) <= 0) {
            throw lookups.timeoutException("Redis");
        }
        WriteBatch<V> writeBatch = new WriteBatch<>(writer);
        try {
            List<LoadingKey<V>> awaited = new ArrayList<>(missing.size());
            for (PendingKey<V> key : missing) {
                awaited.add(new LoadingKey<>(key.request(), lookups.join(key.request(), key.stamp(), writeBatch)));
            }
            writeBatch.allExpected();
            Optional<CacheException> failure = await(awaited, answers, deadlineNanos);
            if (failure.isPresent()) {
                throw failure.get();
            }
        } finally {
            writeBatch.close();
        }
    }

    private Optional<CacheException> await(
            List<LoadingKey<V>> awaited, Map<String, Entry<V>> answers, long deadlineNanos) {
        Optional<CacheException> first = Optional.empty();
        for (LoadingKey<V> loading : awaited) {
            try {
                answers.put(loading.request().key(), lookups.await(loading.request(), loading.joined(), deadlineNanos));
            } catch (LoadInterruptedException e) {
                throw e;
            } catch (CacheException e) {
                first = first.isPresent() ? first : Optional.of(e);
            }
        }
        return first;
    }
}
