// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.cache.CacheLibrary.Promise;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.network.CuttableProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Callers that request texts from the cache just after the connection to Redis was lost, and request the texts again when
 * all have an answer. The server continues to run: a proxy before the server stops to pass on bytes.
 */
final class LostServerWork implements ReadyWork {

    static final String MEDIAN = "median answer ms";
    static final String LAST = "last answer ms";
    static final String LAST_OF_SECOND = "last second answer ms";

    static final Duration TIMEOUT = Duration.ofMillis(500);
    static final Duration COMPUTE = Duration.ofMillis(50);
    private static final Duration LONGEST_FILL = Duration.ofSeconds(60);

    private final CacheLibrary library;
    private final boolean silent;
    private final int callers;
    private final Texts texts;
    private final CuttableProxy proxy;
    private final CacheAdapter cache;
    private List<Answer> first = List.of();
    private List<Answer> second = List.of();

    /** With {@code silent}, connections stay open without an answer; otherwise they end, and new ones are refused. */
    LostServerWork(CacheLibrary library, Target target, boolean silent, int callers, Texts texts) throws Exception {
        this.library = library;
        this.silent = silent;
        this.callers = callers;
        this.texts = texts;
        proxy = CuttableProxy.start(target.host(), target.port());
        Target behind = target.at(proxy.host(), proxy.port()).withConnections(callers);
        try {
            cache = library.opener().open(behind.withTimeout(TIMEOUT), CacheAdapter.LONG_LIFE);
        } catch (Exception e) {
            proxy.close();
            throw e;
        }
    }

    @Override
    public void prepare() {
        proxy.restore();
    }

    /** Tries again: after a restored connection, and on a busy machine, the short time limit fails commands. */
    @Override
    public void fill() throws Exception {
        long start = System.nanoTime();
        while (true) {
            try {
                for (int pass = 0; pass < 2; pass++) {
                    CacheCallers.run(callers, caller -> cache.get(Texts.key(caller), texts::of));
                }
                return;
            } catch (ExecutionException | RuntimeException e) {
                if (System.nanoTime() - start > LONGEST_FILL.toNanos()) {
                    throw e;
                }
            }
        }
    }

    @Override
    public long run() throws Exception {
        if (silent) {
            proxy.silence();
        } else {
            proxy.refuse();
        }
        first = askAll();
        second = askAll();
        return Answer.succeeded(answers());
    }

    private List<Answer> askAll() throws Exception {
        return CacheCallers.run(callers, caller -> Answer.of(() -> cache.get(Texts.key(caller), this::computeSlowly)));
    }

    private List<Answer> answers() {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    private String computeSlowly(String key) {
        LockSupport.parkNanos(COMPUTE.toNanos());
        return texts.of(key);
    }

    @Override
    public RoundDetails details() {
        double[] millis = sortedMillis(first);
        return Answer.details(answers())
                .withComplaints(complaints())
                .withFigure(MEDIAN, millis[callers / 2])
                .withFigure(LAST, millis[callers - 1])
                .withFigure(LAST_OF_SECOND, sortedMillis(second)[callers - 1]);
    }

    private static double[] sortedMillis(List<Answer> answers) {
        return answers.stream().mapToDouble(Answer::millis).sorted().toArray();
    }

    /** Failures are a result, but a cache of Millrace must give each caller a text. */
    private List<String> complaints() {
        var complaints = new ArrayList<String>();
        for (int caller = 0; caller < callers; caller++) {
            for (Answer answer : List.of(first.get(caller), second.get(caller))) {
                if (!answer.failed() && !answer.text().equals(texts.of(Texts.key(caller)))) {
                    complaints.add("wrong text: key=" + Texts.key(caller) + ", text=" + answer.text());
                }
            }
        }
        if (library.promise() != Promise.NONE) {
            complaints.addAll(Answer.failures(answers()));
        }
        return complaints;
    }

    @Override
    public void close() throws Exception {
        try (proxy) {
            cache.close();
        }
    }
}
