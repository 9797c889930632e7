// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import org.jspecify.annotations.Nullable;

/**
 * The objects of one cache, connected with each other.
 *
 * <pre>
 *   Lookups, MultiGet --> LoadRunner, BulkLoads --> DirectLoad or LeasedLoad --> LoaderInvoker --> your loader
 *        |                       |                            |                       |
 *   NearCache, EntryStore   LoadedEntryWriter            LoadAdmission          LoadTimeouts
 * </pre>
 */
final class CacheParts<V> {

    final StatsCounter statsCounter = new StatsCounter();
    final InFlightLoads<V> inFlightLoads = new InFlightLoads<>();
    final EntryEncoder<V> entryEncoder;
    final EntryStore<V> entryStore;
    final Lookups<V> lookups;
    final MultiGet<V> multiGet;
    final EntryChanges<V> changes;

    private final @Nullable Leases<V> leases;
    private final LoadTimeouts<V> timeouts;
    private final NearCache<V> nearCache;

    CacheParts(CacheSetup<V> setup) {
        ClockAndRandom clock = setup.clockAndRandom();
        CacheOptions options = setup.options();
        nearCache = setup.nearCache();
        EntryFormat<V> format = EntryFormat.of(setup.format(), setup.name(), setup.codec());
        entryEncoder = new EntryEncoder<>(format, options, setup.expiryPolicy(), clock);
        RedisCircuit circuit = new RedisCircuit(setup.name(), clock.nanos());
        entryStore =
                new EntryStore<>(setup.client(), setup.name(), format, options.redisTimeout(), statsCounter, circuit);
        leases = options.lease().isZero() ? null : new Leases<>(entryStore, options.lease(), clock.nanos());
        LoadAdmission admission = new LoadAdmission(options.concurrentLoads());
        AbandonedLoaders abandoned = new AbandonedLoaders(statsCounter);
        timeouts = new LoadTimeouts<>(
                inFlightLoads,
                admission,
                abandoned,
                setup.name(),
                leases,
                statsCounter,
                options.loadTimeout(),
                clock.nanos());
        LoaderInvoker<V> invoker = new LoaderInvoker<>(entryEncoder, entryStore, timeouts, clock, statsCounter);
        LoadTiming timing = new LoadTiming(clock, options.deadline());
        LoadStrategy<V> strategy = leases == null
                ? new DirectLoad<>(entryStore, admission, invoker, timing)
                : new LeasedLoad<>(leases, admission, invoker, timing);
        LoadedEntryWriter<V> writer = new LoadedEntryWriter<>(inFlightLoads, entryStore, leases);
        LoadThreads threads = setup.threads();
        LoadRunner<V> runner = new LoadRunner<>(inFlightLoads, strategy, writer, admission, abandoned, timing, threads);
        BulkLoads<V> bulkLoads = new BulkLoads<>(
                inFlightLoads, entryStore, leases, invoker, writer, admission, abandoned, timing, threads);
        lookups = new Lookups<>(nearCache, entryStore, inFlightLoads, runner, admission, options, clock, statsCounter);
        multiGet = new MultiGet<>(lookups, nearCache, entryStore, inFlightLoads, writer, bulkLoads, statsCounter);
        AbsentEntries<V> absent = new AbsentEntries<>(entryStore, leases, clock.epochMillis());
        changes = new EntryChanges<>(entryStore, inFlightLoads, nearCache, leases, absent);
    }

    /** Ends the loads and the threads. Waits for the end of the loads, at most for the Redis timeout. */
    void close() {
        inFlightLoads.close(entryStore.timeout().toNanos());
        nearCache.close();
        timeouts.close();
        if (leases != null) {
            leases.close();
        }
    }
}
