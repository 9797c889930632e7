// SPDX-License-Identifier: Apache-2.0
package io.millrace.labspring;

import io.millrace.lab.connections.ConcurrentCallers;
import io.millrace.lab.connections.ThreadKind;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.frameworks.CachedCalls;
import io.millrace.labspring.CachedPrices.Price;
import java.util.List;
import java.util.stream.IntStream;

/** Calls a cached method of an application. Each call is a hit, because the round fills the cache before. */
final class CacheRounds implements ReadyWork {

    /** Far apart, so that no two callers ask for the same keys soon after each other. */
    private static final int BETWEEN_CALLERS = 17;

    private final Application application;
    private final CachedPrices prices;
    private final CachedCalls calls;
    private final List<Price> expected =
            IntStream.range(0, CachedCalls.KEYS).mapToObj(Price::of).toList();
    private long computationsBefore;

    CacheRounds(Application application, CachedCalls calls) {
        this.application = application;
        this.prices = application.bean(CachedPrices.class);
        this.calls = calls;
    }

    @Override
    public void fill() {
        do { // A cache may write a value after the call has returned.
            computationsBefore = prices.computations();
            expected.forEach(price -> prices.of(price.product()));
        } while (prices.computations() > computationsBefore);
    }

    @Override
    public long run() throws Exception {
        var threads = calls.callers() == 1 ? ThreadKind.PLATFORM : ThreadKind.VIRTUAL;
        ConcurrentCallers.run(threads, calls.callers(), this::call);
        return calls.callers() * calls.callsPerCaller();
    }

    private void call(int caller) {
        for (long n = 0; n < calls.callsPerCaller(); n++) {
            Price right = expected.get((int) (((long) caller * BETWEEN_CALLERS + n) % expected.size()));
            Price found = prices.of(right.product());
            if (!found.equals(right)) {
                throw new IllegalStateException("wrong value: expected=" + right + ", found=" + found);
            }
        }
    }

    @Override
    public RoundDetails details() {
        long misses = prices.computations() - computationsBefore;
        return misses == 0 ? RoundDetails.NONE : RoundDetails.NONE.withComplaints(List.of("misses: " + misses));
    }

    @Override
    public void close() {
        application.close();
    }
}
