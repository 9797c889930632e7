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

    /** Looks up all keys, and loads each missing key separately. Waits for at most the deadline. */
    LookupResults<V> each(Collection<String> keys, OptionalLoader<V> loader, boolean acceptsNegative) {
        long deadlineNanos = lookups.newDeadline();
        KeyAnswers<V> answers = new KeyAnswers<>(lookups, keys.size());
        List<MissingKey<V>> missing = findStored(keys, answers, loader, acceptsNegative, deadlineNanos);
        if (missing.isEmpty()) {
            return answers.results();
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
        return answers.results();
    }

    /** Looks up all keys, and loads the missing keys together. Waits for at most the deadline. */
    LookupResults<V> bulk(Collection<String> keys, BulkLoader<? extends V> loader) {
        long deadlineNanos = lookups.newDeadline();
        KeyAnswers<V> answers = new KeyAnswers<>(lookups, keys.size());
        List<MissingKey<V>> missing = findStored(keys, answers, key -> loadOne(key, loader), true, deadlineNanos);
        if (missing.isEmpty()) {
            return answers.results();
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
        await(loading, answers, deadlineNanos);
        return answers.results();
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
            Collection<String> keys,
            KeyAnswers<V> answers,
            OptionalLoader<V> loader,
            boolean acceptsNegative,
            long deadlineNanos) {
        List<MissingKey<V>> missing = nearCache.isDisabled()
                ? findInRedis(keys, answers, loader, acceptsNegative, deadlineNanos)
                : findNearOrInRedis(keys, answers, loader, acceptsNegative, deadlineNanos);
        statsCounter.misses.add(missing.size());
        if (missing.isEmpty() || lookups.nanosLeft(deadlineNanos) > 0) {
            return missing;
        }
        missing.forEach(key -> answers.fail(key.request().key(), lookups.timeoutException("Redis")));
        return List.of();
    }

    /**
     * Answers keys from Redis. One pass over the replies answers all keys whose entries are certainly fresh. Only the
     * other keys need an {@link Entry} and a {@link LookupRequest}.
     */
    private List<MissingKey<V>> findInRedis(
            Collection<String> all,
            KeyAnswers<V> answers,
            OptionalLoader<V> loader,
            boolean acceptsNegative,
            long deadlineNanos) {
        List<String> keys = List.copyOf(all);
        long[] stamps = new long[keys.size()];
        for (int i = 0; i < stamps.length; i++) {
            stamps[i] = inFlightLoads.stamp(keys.get(i));
        }
        KeyReplies read = entryStore.readReplies(keys, () -> lookups.nanosLeft(deadlineNanos));
        List<MissingKey<V>> missing = new ArrayList<>(0);
        int hits = 0;
        for (int i = 0; i < stamps.length; i++) {
            String key = keys.get(i);
            @Nullable V value = entryStore.freshValue(read, i);
            if (value != null) {
                hits += answers.add(key, value) ? 1 : 0;
            } else if (answers.addPending(key)) {
                Reply reply = read.reply(i);
                Entry<V> entry = reply == null ? Entry.unreachable() : entryStore.decode(key, reply);
                LookupRequest<V> request = new LookupRequest<>(key, loader, acceptsNegative);
                serve(new MissingKey<>(request, stamps[i]), entry, answers, missing);
            }
        }
        statsCounter.hits.add(hits);
        return missing;
    }

    /** A key that the near cache could not answer, and that is read from Redis. */
    private record PendingKey(String key, long stamp, NearCache.PendingRead ticket) {}

    /** Answers keys from the near cache, and the other keys from Redis. Offers the entries to the near cache. */
    private List<MissingKey<V>> findNearOrInRedis(
            Collection<String> keys,
            KeyAnswers<V> answers,
            OptionalLoader<V> loader,
            boolean acceptsNegative,
            long deadlineNanos) {
        List<PendingKey> pending = new ArrayList<>(keys.size());
        for (String key : keys) {
            if (!answers.addPending(key)) {
                continue;
            }
            Entry<V> kept = nearCache.find(key);
            if (kept != null && lookups.tryServe(new LookupRequest<>(key, loader, acceptsNegative), kept, true)) {
                answers.answer(key, kept);
                continue;
            }
            if (kept == null) {
                lookups.countIfNearDown();
            }
            long stamp = inFlightLoads.stamp(key);
            pending.add(new PendingKey(key, stamp, nearCache.beginRead(key)));
        }
        List<Entry<V>> entries = pending.isEmpty()
                ? List.of()
                : entryStore.readAll(
                        pending.stream().map(PendingKey::key).toList(), () -> lookups.nanosLeft(deadlineNanos));
        List<MissingKey<V>> missing = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            PendingKey read = pending.get(i);
            Entry<V> entry = entries.get(i);
            lookups.completeNearRead(read.ticket(), entry);
            LookupRequest<V> request = new LookupRequest<>(read.key(), loader, acceptsNegative);
            serve(new MissingKey<>(request, read.stamp()), entry, answers, missing);
        }
        return missing;
    }

    /** Answers a key with its entry in Redis, or adds the key to {@code missing}. */
    private void serve(MissingKey<V> key, Entry<V> entry, KeyAnswers<V> answers, List<MissingKey<V>> missing) {
        if (lookups.tryServe(key.request(), entry, false)) {
            answers.answer(key.request().key(), entry);
        } else {
            missing.add(key);
        }
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
