// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.network.Door.Loss;
import io.millrace.lab.run.Experiment;
import io.millrace.lab.run.Workload;
import java.util.List;

/** What a cache of slow results costs and what it saves: two calls, hits, many keys at once, the moment of expiry, filling, and no server. */
public final class CacheAside implements Experiment {

    private static final long OPERATIONS = 100_000;

    private final boolean glance;

    public CacheAside() {
        this(false);
    }

    private CacheAside(boolean glance) {
        this.glance = glance;
    }

    @Override
    public String name() {
        return "e5";
    }

    @Override
    public String title() {
        return "Cache-aside";
    }

    @Override
    public String description() {
        return "The first call and the second, hits of a cache, 1,000 keys at once, 1,000 callers at the moment of expiry in one process and in two, a million entries"
                + " written ahead, and callers whose server is lost; its size is the hits of 64 callers.";
    }

    @Override
    public long operations() {
        return OPERATIONS;
    }

    @Override
    public CacheAside atAGlance() {
        return new CacheAside(true);
    }

    @Override
    public List<Workload> workloads() {
        return List.of(
                new TwoCalls(glance),
                new CacheHits(1, glance),
                new CacheHits(64, glance),
                new ManyKeys(),
                new Stampede(1, glance),
                new Stampede(2, glance),
                new WarmUps(glance),
                new ServerLost(Loss.GONE, glance),
                new ServerLost(Loss.SILENT, glance));
    }
}
