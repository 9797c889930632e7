// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmaps;

import io.millrace.lab.run.Experiment;
import io.millrace.lab.run.Workload;
import java.util.List;

/** Very many bits: how they get to the server, what is asked of a month of daily actives, and what sparse ids take. */
public final class BitmapAnalytics implements Experiment {

    private final boolean glance;

    public BitmapAnalytics() {
        this(false);
    }

    private BitmapAnalytics(boolean glance) {
        this.glance = glance;
    }

    @Override
    public String name() {
        return "e6";
    }

    @Override
    public String title() {
        return "Bitmaps";
    }

    @Override
    public String description() {
        return "Ten million random bits, stored one by one and packed, and counted; a month of daily actives, loaded and asked;"
                + " sparse ids in each form. Its size is the bits, and the ids of the month.";
    }

    @Override
    public long operations() {
        return 10_000_000;
    }

    @Override
    public BitmapAnalytics atAGlance() {
        return new BitmapAnalytics(true);
    }

    @Override
    public List<Workload> workloads() {
        return List.of(
                new StoredBits(glance), new MonthLoad(glance), new MonthQuestions(glance), new SparseIds(glance));
    }
}
