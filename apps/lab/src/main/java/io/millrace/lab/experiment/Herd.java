// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.contender.Callers;
import io.millrace.lab.library.TextCache;
import io.millrace.lab.run.ProcessCpu;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * The callers of one process, who all ask for one text as it expires, again and again until they get a new one. One rush at a time.
 *
 * @param process that what is computed here is marked with
 * @param compute how long a computation takes
 */
record Herd(TextCache cache, String process, Duration compute) {

    static final int CALLERS = 1_000;
    static final String KEY = "rushed-for";

    /** Of the text that expires: long enough for everybody, in two processes, to be there before. */
    static final Duration LIFE = Duration.ofMillis(250);

    /** How long before the expiry they begin to ask. */
    private static final Duration EAGER = Duration.ofMillis(20);

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /**
     * What to rush for.
     *
     * @param number of the rush, which is part of what is computed
     * @param old the text that expires
     * @param millis until then
     */
    record Call(int number, String old, double millis) {}

    /**
     * What became of it.
     *
     * @param computed every text that was computed in this process
     * @param seen how many callers got which text that was not the old one
     * @param failures how many got which exception, or nothing new in a minute
     * @param lastMillis from the expiry until the last had its answer
     * @param firstEpochMillis when the first asked, by the machine's clock, which processes share
     * @param lastEpochMillis when the last had its answer
     * @param cpu of this process meanwhile
     */
    record Rush(
            List<String> computed,
            Map<String, Long> seen,
            Map<String, Long> failures,
            double lastMillis,
            long firstEpochMillis,
            long lastEpochMillis,
            ProcessCpu cpu) {}

    /** Returns when each caller has a new text, or has failed. */
    Rush rush(Call call) throws InterruptedException, ExecutionException {
        var before = ProcessCpu.now();
        long expiry = System.nanoTime() + (long) (call.millis() * 1e6);
        var first = new AtomicLong(Long.MAX_VALUE);
        var computed = new ConcurrentLinkedQueue<String>();
        var seen = new ConcurrentHashMap<String, LongAdder>();
        var failures = new ConcurrentHashMap<String, LongAdder>();
        var count = new AtomicLong();
        Callers.VIRTUAL.run(CALLERS, caller -> {
            LockSupport.parkNanos(expiry - EAGER.toNanos() - System.nanoTime());
            first.accumulateAndGet(System.currentTimeMillis(), Math::min);
            try {
                count(seen, newText(call, expiry, computed, count));
            } catch (Exception e) {
                count(failures, Unanswered.name(e));
            }
        });
        return new Rush(
                List.copyOf(computed),
                sums(seen),
                sums(failures),
                (System.nanoTime() - expiry) / 1e6,
                first.get(),
                System.currentTimeMillis(),
                ProcessCpu.now().minus(before));
    }

    private String newText(Call call, long expiry, ConcurrentLinkedQueue<String> computed, AtomicLong count)
            throws Exception {
        var text = call.old();
        while (text.equals(call.old())) {
            if (System.nanoTime() - expiry > PATIENCE.toNanos()) {
                throw new TimeoutException("the text does not expire");
            }
            text = cache.get(KEY, key -> {
                var made = process + "-" + call.number() + "-" + count.incrementAndGet();
                computed.add(made);
                LockSupport.parkNanos(compute.toNanos());
                return made;
            });
        }
        return text;
    }

    private static void count(ConcurrentHashMap<String, LongAdder> counts, String what) {
        counts.computeIfAbsent(what, absent -> new LongAdder()).increment();
    }

    private static Map<String, Long> sums(ConcurrentHashMap<String, LongAdder> counts) {
        var sums = new TreeMap<String, Long>();
        counts.forEach((what, count) -> sums.put(what, count.sum()));
        return sums;
    }
}
