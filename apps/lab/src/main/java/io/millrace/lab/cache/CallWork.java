// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** The first call for a text that takes long to compute, and the second call, which finds the text. */
final class CallWork implements ReadyWork {

    static final String KEY = "slow";
    static final String FIRST = "first call ms";
    static final String SECOND = "second call ms";

    private static final int MOST_ATTEMPTS = 1_000;

    private final CacheAdapter cache;
    private final Duration compute;
    private final Texts texts;
    private final AtomicInteger computations = new AtomicInteger();
    private RoundDetails details = RoundDetails.NONE;

    CallWork(CacheAdapter cache, Duration compute, Texts texts) {
        this.cache = cache;
        this.compute = compute;
        this.texts = texts;
    }

    /** Reads another key, so that the first use of the classes is not measured. */
    @Override
    public void fill() throws Exception {
        cache.get("another", texts::of);
        hit("another");
    }

    @Override
    public long run() throws Exception {
        computations.set(0);
        long start = System.nanoTime();
        String first = cache.get(KEY, key -> {
            LockSupport.parkNanos(compute.toNanos());
            return computeAtOnce(key);
        });
        details = RoundDetails.NONE.withFigure(FIRST, Answer.millisSince(start));
        int firstComputations = computations.get();
        Answer second = hit(KEY);
        details = details.withFigure(SECOND, second.millis());
        List<String> found = List.of(first, second.text());
        boolean right = found.stream().allMatch(text -> text.equals(texts.of(KEY)));
        if (!right || firstComputations != 1 || computations.get() > 0) {
            details = details.withComplaints(List.of("two calls of the slow text: computations of the first="
                    + firstComputations + ", of the last=" + computations + ", texts=" + found));
        }
        return 2;
    }

    /** A cache may return a computed text before Redis has stored the text. So the first hit is the second call. */
    private Answer hit(String key) throws Exception {
        for (int attempt = 1; ; attempt++) {
            computations.set(0);
            Answer answer = Answer.of(() -> cache.get(key, this::computeAtOnce));
            if (computations.get() == 0 || attempt == MOST_ATTEMPTS) {
                return answer;
            }
        }
    }

    private String computeAtOnce(String key) {
        computations.incrementAndGet();
        return texts.of(key);
    }

    @Override
    public RoundDetails details() {
        return details;
    }

    @Override
    public void close() throws Exception {
        cache.close();
    }
}
