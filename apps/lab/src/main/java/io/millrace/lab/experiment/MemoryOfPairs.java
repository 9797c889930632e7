// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.run.Experiment;
import io.millrace.lab.run.Workload;
import java.util.List;

/** What many small pairs take in the server's memory, as strings and packed into hashes. */
public final class MemoryOfPairs implements Experiment {

    private final boolean glance;

    public MemoryOfPairs() {
        this(false);
    }

    private MemoryOfPairs(boolean glance) {
        this.glance = glance;
    }

    @Override
    public String name() {
        return "e7";
    }

    @Override
    public String title() {
        return "Memory of small pairs";
    }

    @Override
    public String description() {
        return "A million pairs of two numbers as strings, and packed into hashes of 128 and of 1,000, the latter as the server is and"
                + " with its limit raised; its size is the pairs. On a server with jemalloc.";
    }

    @Override
    public long operations() {
        return 1_000_000;
    }

    @Override
    public MemoryOfPairs atAGlance() {
        return new MemoryOfPairs(true);
    }

    @Override
    public List<Workload> workloads() {
        return List.of(new PairMemory(glance));
    }
}
