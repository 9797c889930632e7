// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.cache.Loads.Joined;
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

/** Answers for many keys at once: one multi-get, loads side by side, and one pipeline to write back what they bring. */
final class MultiGet<V> {

    private final Lookups<V> lookups;
    private final Near<V> near;
    private final Store<V> store;
    private final Loads<V> loads;
    private final LoadedWriter<V> writer;
    private final Tally tally;

    MultiGet(Lookups<V> lookups, Near<V> near, Store<V> store, Loads<V> loads, LoadedWriter<V> writer, Tally tally) {
        this.lookups = lookups;
        this.near = near;
        this.store = store;
        this.loads = loads;
        this.writer = writer;
        this.tally = tally;
    }

    /** A key that was not here, and is asked for. */
    private record Asked<V>(Request<V> request, long stamp) {}

    /** A key that is loaded. */
    private record Awaited<V>(Request<V> request, Joined<V> joined) {}

    /**
     * The values of all keys, in their order.
     *
     * @throws CacheException the first, if there is none of some; the others are loaded and written all the same
     */
    Map<String, V> answer(Collection<String> keys, Finder<V> finder) {
        long waitedEnough = lookups.deadline();
        Set<String> distinct = new LinkedHashSet<>(keys);
        Map<String, Entry<V>> answers = new HashMap<>();
        List<Asked<V>> asked = new ArrayList<>();
        for (String key : distinct) {
            Request<V> request = new Request<>(key, finder, false);
            Entry<V> here = near.find(key);
            if (here != null && lookups.serves(request, here, true)) {
                answers.put(key, here);
            } else {
                if (here == null) {
                    lookups.countIfDown();
                }
                asked.add(new Asked<>(request, loads.stamp(key)));
            }
        }
        load(ask(asked, answers, waitedEnough), answers, waitedEnough);
        Map<String, V> values = new LinkedHashMap<>();
        for (String key : distinct) {
            Entry<V> answer = Objects.requireNonNull(answers.get(key), "every key has an answer by now");
            values.put(key, lookups.thrownIfFailure(answer).present());
        }
        return Collections.unmodifiableMap(values);
    }

    /** Adds what Redis has to the answers, and returns what it has not. */
    private List<Asked<V>> ask(List<Asked<V>> asked, Map<String, Entry<V>> answers, long waitedEnough) {
        if (asked.isEmpty()) {
            return List.of();
        }
        List<String> keys = asked.stream().map(one -> one.request().key()).toList();
        List<Near.Ticket> tickets = keys.stream().map(near::begin).toList();
        List<Entry<V>> entries = store.readAll(keys, () -> lookups.left(waitedEnough));
        List<Asked<V>> missing = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            Entry<V> entry = entries.get(i);
            lookups.keep(tickets.get(i), entry);
            if (lookups.serves(asked.get(i).request(), entry, false)) {
                answers.put(keys.get(i), entry);
            } else {
                missing.add(asked.get(i));
            }
        }
        tally.misses.add(missing.size());
        return missing;
    }

    /** Adds what is loaded to the answers. */
    private void load(List<Asked<V>> missing, Map<String, Entry<V>> answers, long waitedEnough) {
        if (missing.isEmpty()) {
            return;
        }
        if (lookups.left(waitedEnough) <= 0) {
            throw lookups.timedOut("Redis");
        }
        WriteBack<V> together = new WriteBack<>(writer);
        try {
            List<Awaited<V>> awaited = new ArrayList<>(missing.size());
            for (Asked<V> one : missing) {
                awaited.add(new Awaited<>(one.request(), lookups.join(one.request(), one.stamp(), together)));
            }
            together.complete();
            Optional<CacheException> failure = await(awaited, answers, waitedEnough);
            if (failure.isPresent()) {
                throw failure.get();
            }
        } finally {
            together.close();
        }
    }

    private Optional<CacheException> await(List<Awaited<V>> awaited, Map<String, Entry<V>> answers, long waitedEnough) {
        Optional<CacheException> first = Optional.empty();
        for (Awaited<V> one : awaited) {
            try {
                answers.put(one.request().key(), lookups.await(one.request(), one.joined(), waitedEnough));
            } catch (LoadInterruptedException e) {
                throw e;
            } catch (CacheException e) {
                first = first.isPresent() ? first : Optional.of(e);
            }
        }
        return first;
    }
}
