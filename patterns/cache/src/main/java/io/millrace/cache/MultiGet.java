// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.cache.InFlightLoads.JoinedLoad;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
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

    /** A key that the near cache could not answer. */
    private record PendingKey<V>(LookupRequest<V> request, long stamp) {}

    /** A key whose value is being loaded. */
    private record LoadingKey<V>(LookupRequest<V> request, JoinedLoad<V> joined) {}

    /** Looks up all keys, and loads each missing key separately. Waits for at most the deadline. */
    LookupResults<V> each(Collection<String> keys, OptionalLoader<V> loader) {
        long deadlineNanos = lookups.newDeadline();
        KeyAnswers<V> answers = new KeyAnswers<>(keys);
        List<PendingKey<V>> missing = findStored(answers, loader, false, deadlineNanos);
        if (missing.isEmpty()) {
            return answers.results(lookups);
        }
        WriteBatch<V> writeBatch = new WriteBatch<>(writer);
        try {
            List<LoadingKey<V>> loading = new ArrayList<>(missing.size());
            for (PendingKey<V> key : missing) {
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
        List<PendingKey<V>> missing = findStored(answers, key -> loadOne(key, loader), true, deadlineNanos);
        List<LoadingKey<V>> loading = new ArrayList<>(missing.size());
        List<JoinedLoad<V>> started = new ArrayList<>();
        LoaderCall call = new LoaderCall();
        for (PendingKey<V> key : missing) {
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
        Map<String, ? extends V> loaded = loader.load(keys, failures);
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
    private List<PendingKey<V>> findStored(
            KeyAnswers<V> answers, OptionalLoader<V> loader, boolean acceptsNegative, long deadlineNanos) {
        List<PendingKey<V>> pending = new ArrayList<>();
        for (String key : answers.keys()) {
            LookupRequest<V> lookupRequest = new LookupRequest<>(key, loader, acceptsNegative);
            Entry<V> kept = nearCache.find(key);
            if (kept != null && lookups.tryServe(lookupRequest, kept, true)) {
                answers.answer(key, kept);
            } else {
                if (kept == null) {
                    lookups.countIfNearDown();
                }
                pending.add(new PendingKey<>(lookupRequest, inFlightLoads.stamp(key)));
            }
        }
        List<PendingKey<V>> missing = read(pending, answers, deadlineNanos);
        if (missing.isEmpty() || lookups.nanosLeft(deadlineNanos) > 0) {
            return missing;
        }
        missing.forEach(key -> answers.fail(key.request().key(), lookups.timeoutException("Redis")));
        return List.of();
    }

    /** Reads the keys from Redis, adds the found entries to the answers, and returns the missing keys. */
    private List<PendingKey<V>> read(List<PendingKey<V>> pending, KeyAnswers<V> answers, long deadlineNanos) {
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
                answers.answer(keys.get(i), entry);
            } else {
                missing.add(pending.get(i));
            }
        }
        statsCounter.misses.add(missing.size());
        return missing;
    }

    private void await(List<LoadingKey<V>> loading, KeyAnswers<V> answers, long deadlineNanos) {
        for (LoadingKey<V> key : loading) {
            String name = key.request().key();
            try {
                answers.answer(name, lookups.await(key.request(), key.joined(), deadlineNanos));
            } catch (LoadInterruptedException e) {
                throw e;
            } catch (CacheException e) {
                answers.fail(name, e);
            }
        }
    }
}
