// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.cache.CacheLibrary.Promise;
import io.millrace.lab.cache.Stampede.Observed;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Many callers that request one text at the moment of its expiry.
 *
 * @param processes 1 or 2
 * @param callers number of callers in each process
 * @param compute duration of a computation
 */
record StampedeWork(CacheLibrary library, int processes, int callers, Duration compute) implements Work {

    static final String COMPUTATIONS = "computations";
    static final String MOST_IN_ONE_PROCESS = "computations in one process";
    static final String LAST_ANSWER = "last answer ms";
    static final String SECOND_CPU = "second process CPU s";

    private static final int CONNECTIONS = 64;

    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        Target target = context.target().withConnections(CONNECTIONS);
        CacheAdapter cache = library.opener().open(target, CacheAdapter.LONG_LIFE);
        try {
            Optional<SecondProcess> second = processes == 1
                    ? Optional.empty()
                    : Optional.of(
                            SecondProcess.start(new SecondProcess.Setup(library.label(), target, compute.toMillis())));
            return new Expiring(this, cache, second);
        } catch (RuntimeException e) {
            cache.close();
            throw e;
        }
    }

    private static final class Expiring implements ReadyWork {

        private final StampedeWork work;
        private final CacheAdapter cache;
        private final Optional<SecondProcess> second;
        private int round;

        /** The answers and the computations of the last round, by process. */
        private List<Observed> observed = List.of();

        Expiring(StampedeWork work, CacheAdapter cache, Optional<SecondProcess> second) {
            this.work = work;
            this.cache = cache;
            this.second = second;
        }

        @Override
        public long run() throws Exception {
            round++;
            String oldText = "old-" + round;
            cache.put(Stampede.KEY, oldText, Stampede.LIFE);
            var expiry = new Stampede.Expiry(round, work.callers, oldText, Stampede.LIFE.toMillis());
            second.ifPresent(process -> process.begin(expiry));
            Observed first = new Stampede(cache, "first", work.compute).observe(expiry);
            observed = Stream.concat(Stream.of(first), second.map(SecondProcess::await).stream())
                    .toList();
            return Answer.outcomes(answers()).ok();
        }

        private List<Answer> answers() {
            return observed.stream()
                    .flatMap(process -> process.answers().stream())
                    .toList();
        }

        private int computations() {
            return observed.stream()
                    .mapToInt(process -> process.computed().size())
                    .sum();
        }

        private int mostInOneProcess() {
            return Collections.max(computationsByProcess());
        }

        private List<Integer> computationsByProcess() {
            return observed.stream().map(process -> process.computed().size()).toList();
        }

        /** Whether callers of each process called while callers of the other process waited. */
        private boolean processesMet() {
            return observed.stream()
                    .allMatch(process ->
                            observed.stream().allMatch(other -> process.firstCallMillis() <= other.lastAnswerMillis()));
        }

        @Override
        public RoundDetails details() {
            double lastAnswer = observed.stream()
                            .mapToDouble(Observed::lastAnswerMillis)
                            .max()
                            .orElseThrow()
                    - observed.getFirst().expiryMillis();
            RoundDetails details = RoundDetails.NONE
                    .withOutcomes(Answer.outcomes(answers()))
                    .withComplaints(complaints())
                    .withFigure(COMPUTATIONS, computations())
                    .withFigure(MOST_IN_ONE_PROCESS, mostInOneProcess())
                    .withFigure(LAST_ANSWER, lastAnswer);
            if (work.processes == 2) {
                details = details.withFigure(SECOND_CPU, observed.getLast().cpuSeconds());
            }
            List<String> remarks = remarks();
            return remarks.isEmpty() ? details : details.withRemark(String.join("; ", remarks));
        }

        private List<String> remarks() {
            var remarks = new ArrayList<>(Answer.failures(answers()));
            if (!processesMet()) {
                remarks.add("the callers of the two processes did not call at the same time");
            }
            return remarks;
        }

        /** Each text must have been computed in this round. A cache with a promise must keep it, and answer each caller. */
        private List<String> complaints() {
            var complaints = new ArrayList<String>();
            Set<String> computed = new HashSet<>();
            observed.forEach(process -> computed.addAll(process.computed()));
            long wrong = answers().stream()
                    .filter(answer -> !answer.failed() && !computed.contains(answer.text()))
                    .count();
            if (wrong > 0) {
                complaints.add("callers with a text that was not computed in this round: " + wrong);
            }
            Promise promise = work.library.promise();
            if (promise != Promise.NONE) {
                complaints.addAll(Answer.failures(answers()));
            }
            if (!isKept(promise)) {
                complaints.add("computations: promise=" + promise + ", found by process=" + computationsByProcess());
            }
            return complaints;
        }

        private boolean isKept(Promise promise) {
            return switch (promise) {
                case NONE -> true;
                case ONE_PER_PROCESS -> mostInOneProcess() <= 1 && computations() >= 1;
                case ONE_IN_ALL -> computations() == 1;
            };
        }

        @Override
        public void close() throws Exception {
            second.ifPresent(SecondProcess::close);
            cache.close();
        }
    }
}
