// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.cache.InFlightLoads.JoinedLoad;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

    /** A key that the near cache did not answer. If Redis does not answer the key either, the key is loaded. */
    private record MissingKey<V>(LookupRequest<V> request, long stamp) {}

    /** A key whose value is being loaded. */
    private record LoadingKey<V>(LookupRequest<V> request, JoinedLoad<V> joined) {}

    /**
     * A lookup of many keys.
     *
     * @param answers collects the answers
     * @param loader the loader of one key
     * @param acceptsNegative whether the absence of a value is a valid answer
     * @param deadlineNanos deadline in nanoseconds of the clock
     * @param due collects the keys that need a background load
     */
    private record ManyKeys<V>(
            KeyAnswers<V> answers,
            OptionalLoader<V> loader,
            boolean acceptsNegative,
            long deadlineNanos,
            List<LookupRequest<V>> due) {

        LookupRequest<V> request(String key) {
            return new LookupRequest<>(key, loader, acceptsNegative);
        }
    }

    private ManyKeys<V> begin(int keys, OptionalLoader<V> loader, boolean acceptsNegative) {
        long deadlineNanos = lookups.newDeadline();
        return new ManyKeys<>(
                new KeyAnswers<>(lookups, keys), loader, acceptsNegative, deadlineNanos, new ArrayList<>(0));
    }

    /** Looks up all keys, and loads each missing key separately. Waits for at most the deadline. */
    LookupResults<V> each(Collection<String> keys, OptionalLoader<V> loader, boolean acceptsNegative) {
        ManyKeys<V> lookup = begin(keys.size(), loader, acceptsNegative);
        List<MissingKey<V>> missing = findStored(keys, lookup);
        lookup.due().forEach(lookups::refresh);
        if (missing.isEmpty()) {
            return lookup.answers().results();
        }
        WriteBatch<V> writeBatch = new WriteBatch<>(writer);
        try {
            List<LoadingKey<V>> loading = new ArrayList<>(missing.size());
            for (MissingKey<V> key : missing) {
                loading.add(new LoadingKey<>(
                        key.request(), lookups.join(key.request(), key.stamp(), writeBatch, lookup.deadlineNanos())));
            }
            writeBatch.allExpected();
            await(loading, lookup);
        } finally {
            writeBatch.close();
        }
        return lookup.answers().results();
    }

    /** Looks up all keys, and loads the missing keys together. Waits for at most the deadline. */
    LookupResults<V> bulk(Collection<String> keys, BulkLoader<? extends V> loader) {
        ManyKeys<V> lookup = begin(keys.size(), key -> loadOne(key, loader), true);
        List<MissingKey<V>> missing = findStored(keys, lookup);
        if (!lookup.due().isEmpty()) {
            bulkLoads.refresh(lookup.due(), loader);
        }
        if (missing.isEmpty()) {
            return lookup.answers().results();
        }
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
        await(loading, lookup);
        return lookup.answers().results();
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
    private List<MissingKey<V>> findStored(Collection<String> keys, ManyKeys<V> lookup) {
        List<MissingKey<V>> missing =
                nearCache.isDisabled() ? findInRedis(keys, lookup) : findNearOrInRedis(keys, lookup);
        statsCounter.misses.add(missing.size());
        if (missing.isEmpty() || lookups.nanosLeft(lookup.deadlineNanos()) > 0) {
            return missing;
        }
        missing.forEach(key -> lookup.answers().fail(key.request().key(), lookups.timeoutException("Redis")));
        return List.of();
    }

    /**
     * Answers keys from Redis. One pass over the replies answers all keys whose entries are certainly fresh. Only the
     * other keys need an {@link Entry} and a {@link LookupRequest}.
     */
    private List<MissingKey<V>> findInRedis(Collection<String> all, ManyKeys<V> lookup) {
        List<String> keys = List.copyOf(all);
        long[] stamps = new long[keys.size()];
        for (int i = 0; i < stamps.length; i++) {
            stamps[i] = inFlightLoads.stamp(keys.get(i));
        }
        KeyReplies read = entryStore.readReplies(keys, () -> lookups.nanosLeft(lookup.deadlineNanos()));
        List<MissingKey<V>> missing = new ArrayList<>(0);
        int hits = 0;
        for (int i = 0; i < stamps.length; i++) {
            String key = keys.get(i);
            @Nullable V value = entryStore.freshValue(read, i);
            if (value != null) {
                hits += lookup.answers().add(key, value) ? 1 : 0;
            } else if (lookup.answers().addPending(key)) {
                Reply reply = read.reply(i);
                Entry<V> entry = reply == null ? Entry.unreachable() : entryStore.decode(key, reply);
                MissingKey<V> other = new MissingKey<>(lookup.request(key), stamps[i]);
                if (!tryServe(other.request(), entry, false, lookup)) {
                    missing.add(other);
                }
            }
        }
        statsCounter.hits.add(hits);
        return missing;
    }

    /** A key that the near cache could not answer, and that is read from Redis. */
    private record PendingKey(String key, long stamp, NearCache.PendingRead ticket) {}

    /** Answers keys from the near cache, and the other keys from Redis. Offers the entries to the near cache. */
    private List<MissingKey<V>> findNearOrInRedis(Collection<String> keys, ManyKeys<V> lookup) {
        List<PendingKey> pending = new ArrayList<>(keys.size());
        for (String key : keys) {
            if (!lookup.answers().addPending(key)) {
                continue;
            }
            Entry<V> kept = nearCache.find(key);
            if (kept != null && tryServe(lookup.request(key), kept, true, lookup)) {
                continue;
            }
            if (kept == null) {
                lookups.countIfNearDown();
            }
            long stamp = inFlightLoads.stamp(key);
            pending.add(new PendingKey(key, stamp, nearCache.beginRead(key)));
        }
        List<Entry<V>> entries = entryStore.readAll(
                pending.stream().map(PendingKey::key).toList(), () -> lookups.nanosLeft(lookup.deadlineNanos()));
        List<MissingKey<V>> missing = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            PendingKey read = pending.get(i);
            lookups.completeNearRead(read.ticket(), entries.get(i));
            LookupRequest<V> request = lookup.request(read.key());
            if (!tryServe(request, entries.get(i), false, lookup)) {
                missing.add(new MissingKey<>(request, read.stamp()));
            }
        }
        return missing;
    }

    /** Answers a key with its entry. Returns false if the entry is not an answer. */
    private boolean tryServe(LookupRequest<V> request, Entry<V> entry, boolean fromNear, ManyKeys<V> lookup) {
        if (!lookups.isServed(request, entry, fromNear)) {
            return false;
        }
        if (lookups.isRefreshDue(entry)) {
            lookup.due().add(request);
        }
        lookup.answers().answer(request.key(), entry);
        return true;
    }

    private void await(List<LoadingKey<V>> loading, ManyKeys<V> lookup) {
        LoaderCall outer = LoaderCall.current();
        if (outer == null) {
            loading.forEach(one -> await(one, lookup));
            return;
        }
        // A loader publishes all waits first, so that a cycle is found before the wait for the first key.
        List<LoadingKey<V>> awaited = new ArrayList<>(loading.size());
        try {
            for (LoadingKey<V> one : loading) {
                if (outer.tryBeginWait(one.joined().load().call)) {
                    awaited.add(one);
                } else {
                    lookup.answers().fail(one.request().key(), cycle(lookups.cycle()));
                }
            }
            awaited.forEach(one -> await(one, lookup));
        } finally {
            awaited.forEach(one -> outer.endWait(one.joined().load().call));
        }
    }

    private void await(LoadingKey<V> one, ManyKeys<V> lookup) {
        String key = one.request().key();
        try {
            lookup.answers().answer(key, lookups.await(one.request(), one.joined(), lookup.deadlineNanos()));
        } catch (LoadInterruptedException e) {
            throw e;
        } catch (LoadCycleException e) {
            lookup.answers().fail(key, cycle(e));
        } catch (CacheException e) {
            lookup.answers().fail(key, e);
        }
    }

    /** Returns the failure of a key that waits for itself. The other keys of the lookup have their own results. */
    private static LoadFailedException cycle(LoadCycleException e) {
        return new LoadFailedException(Objects.requireNonNull(e.getMessage()), e);
    }
}
