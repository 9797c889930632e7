// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.cache.CacheLibrary.Promise;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.network.CuttableProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;

/**
 * Callers that request texts from the cache just after the connection to Redis was lost. The server continues to run: a
 * proxy before the server stops to pass on bytes.
 *
 * @param silent whether connections stay open without an answer; otherwise connections end, and new ones are refused
 */
record LostServerWork(CacheLibrary library, boolean silent, int callers, Texts texts) implements Work {

    static final String TEXTS = "callers with a text";
    static final String MEDIAN = "median answer ms";
    static final String LAST = "last answer ms";

    static final Duration TIMEOUT = Duration.ofMillis(500);
    static final Duration COMPUTE = Duration.ofMillis(50);
    private static final Duration LONGEST_FILL = Duration.ofSeconds(60);

    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        Target target = context.target();
        CuttableProxy proxy = CuttableProxy.start(target.host(), target.port());
        try {
            Target behind = target.at(proxy.host(), proxy.port())
                    .withConnections(callers)
                    .withTimeout(TIMEOUT);
            return new Losing(this, proxy, library.opener().open(behind, CacheAdapter.LONG_LIFE));
        } catch (Exception e) {
            proxy.close();
            throw e;
        }
    }

    private static final class Losing implements ReadyWork {

        private final LostServerWork work;
        private final CuttableProxy proxy;
        private final CacheAdapter cache;
        private List<Answer> answers = List.of();

        Losing(LostServerWork work, CuttableProxy proxy, CacheAdapter cache) {
            this.work = work;
            this.proxy = proxy;
            this.cache = cache;
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
                    cache.putAll(work.texts.entries(work.callers));
                    ConcurrentCallers.run(work.callers, caller -> cache.get(Texts.key(caller), work.texts::of));
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
            if (work.silent) {
                proxy.silence();
            } else {
                proxy.refuse();
            }
            answers = ConcurrentCallers.ask(
                    work.callers,
                    caller -> cache.get(Texts.key(caller), key -> {
                        LockSupport.parkNanos(COMPUTE.toNanos());
                        return work.texts.of(key);
                    }));
            return Answer.outcomes(answers).ok();
        }

        @Override
        public RoundDetails details() {
            double[] millis =
                    answers.stream().mapToDouble(Answer::millis).sorted().toArray();
            RoundDetails details = RoundDetails.NONE
                    .withOutcomes(Answer.outcomes(answers))
                    .withComplaints(complaints())
                    .withFigure(TEXTS, (double) Answer.outcomes(answers).ok())
                    .withFigure(MEDIAN, millis[millis.length / 2])
                    .withFigure(LAST, millis[millis.length - 1]);
            List<String> failures = Answer.failures(answers);
            return failures.isEmpty() ? details : details.withRemark(String.join("; ", failures));
        }

        /** Failures are a result, but a cache of Millrace must give each caller a text. */
        private List<String> complaints() {
            var complaints = new ArrayList<String>();
            for (int caller = 0; caller < answers.size(); caller++) {
                Answer answer = answers.get(caller);
                if (!answer.failed() && !answer.text().equals(work.texts.of(Texts.key(caller)))) {
                    complaints.add("wrong text: key=" + Texts.key(caller) + ", text=" + answer.text());
                }
            }
            if (work.library.promise() != Promise.NONE) {
                complaints.addAll(Answer.failures(answers));
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
}
