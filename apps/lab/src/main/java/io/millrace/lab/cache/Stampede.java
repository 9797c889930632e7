// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * The callers of one process, which all request one text at the moment of its expiry.
 *
 * @param process part of each text that this process computes
 * @param compute duration of a computation
 */
record Stampede(CacheAdapter cache, String process, Duration compute) {

    static final String KEY = "requested-by-all";

    /** Life of the text that expires. The callers of two processes are ready within this time. */
    static final Duration LIFE = Duration.ofMillis(250);

    /** The callers begin to call this long before the expiry. */
    private static final Duration EARLY = Duration.ofMillis(20);

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** A text that expires in {@link #LIFE}. {@code round} is part of each text that is computed afterwards. */
    record Expiry(int round, int callers, String oldText) {}

    /**
     * The answers and the computations of one expiry.
     *
     * @param expiryMillis time of the expiry by the system clock
     * @param computed the texts that this process computed
     */
    record Observed(long expiryMillis, List<Answer> answers, List<String> computed) {

        double firstCallMillis() {
            return answers.stream().mapToDouble(Answer::startMillis).min().orElseThrow();
        }

        double lastAnswerMillis() {
            return answers.stream().mapToDouble(Answer::endMillis).max().orElseThrow();
        }
    }

    /** Returns when each caller has a new text, or has failed. */
    Observed observe(Expiry expiry) throws Exception {
        long expiryNanos = System.nanoTime() + LIFE.toNanos();
        long expiryMillis = System.currentTimeMillis() + LIFE.toMillis();
        var computed = new ConcurrentLinkedQueue<String>();
        List<Answer> answers = CacheCallers.run(expiry.callers, caller -> {
            LockSupport.parkNanos(expiryNanos - EARLY.toNanos() - System.nanoTime());
            return Answer.of(() -> newText(expiry.oldText, expiryNanos, key -> {
                String text = process + "-" + expiry.round + "-" + caller;
                computed.add(text);
                LockSupport.parkNanos(compute.toNanos());
                return text;
            }));
        });
        return new Observed(expiryMillis, answers, List.copyOf(computed));
    }

    private String newText(String oldText, long expiryNanos, CacheAdapter.Loader loader) throws Exception {
        String text = oldText;
        while (text.equals(oldText)) {
            if (System.nanoTime() - expiryNanos > PATIENCE.toNanos()) {
                throw new TimeoutException("the old text does not expire: key=" + KEY);
            }
            text = cache.get(KEY, loader);
        }
        return text;
    }
}
