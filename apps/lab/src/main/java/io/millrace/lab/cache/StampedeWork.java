// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.cache.CacheLibrary.Promise;
import io.millrace.lab.cache.Stampede.Observed;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Many callers in two processes, which request one text at the moment of its expiry. */
final class StampedeWork implements ReadyWork {

    static final String COMPUTATIONS = "computations";
    static final String MOST_IN_ONE_PROCESS = "computations in one process";
    static final String LAST_ANSWER = "last answer ms";

    private static final int CONNECTIONS = 64;

    private final Promise promise;
    private final int callers;
    private final Stampede stampede;
    private final Optional<SecondProcess> second;
    private int round;

    /** The answers and the computations of the last round, by process. */
    private List<Observed> observed = List.of();

    /** {@code second} is empty for tests of the checks; the work closes {@code second} and the cache. */
    StampedeWork(Promise promise, int callers, Stampede stampede, Optional<SecondProcess> second) {
        this.promise = promise;
        this.callers = callers;
        this.stampede = stampede;
        this.second = second;
    }

    /** Opens the cache in this process and in a second process, each with {@code callers}. */
    static ReadyWork open(CacheLibrary library, Target anyTarget, int callers, Duration compute) throws Exception {
        Target target = anyTarget.withConnections(CONNECTIONS);
        CacheAdapter cache = library.opener().open(target, CacheAdapter.LONG_LIFE);
        try {
            var second = SecondProcess.start(new SecondProcess.Setup(library.label(), target, compute.toMillis()));
            var stampede = new Stampede(cache, "first", compute);
            return new StampedeWork(library.promise(), callers, stampede, Optional.of(second));
        } catch (RuntimeException e) {
            cache.close();
            throw e;
        }
    }

    @Override
    public long run() throws Exception {
        round++;
        var expiry = new Stampede.Expiry(round, callers, "old-" + round);
        stampede.cache().put(Stampede.KEY, expiry.oldText(), Stampede.LIFE);
        second.ifPresent(process -> process.begin(expiry));
        Observed first = stampede.observe(expiry);
        observed = Stream.concat(Stream.of(first), second.map(SecondProcess::await).stream())
                .toList();
        return Answer.succeeded(answers());
    }

    private List<Answer> answers() {
        return observed.stream().flatMap(process -> process.answers().stream()).toList();
    }

    private List<Integer> computations() {
        return observed.stream().map(process -> process.computed().size()).toList();
    }

    @Override
    public RoundDetails details() {
        double end =
                observed.stream().mapToDouble(Observed::lastAnswerMillis).max().orElseThrow();
        RoundDetails details = Answer.details(answers())
                .withComplaints(complaints())
                .withFigure(
                        COMPUTATIONS,
                        computations().stream().mapToInt(Integer::intValue).sum())
                .withFigure(MOST_IN_ONE_PROCESS, Collections.max(computations()))
                .withFigure(LAST_ANSWER, end - observed.getFirst().expiryMillis());
        String separate = "the callers of the two processes did not call at the same time";
        return processesMet()
                ? details
                : details.withRemark(
                        details.remark().map(failures -> failures + "; ").orElse("") + separate);
    }

    /** Whether callers of each process called while callers of the other process waited. */
    private boolean processesMet() {
        return observed.stream()
                .allMatch(process ->
                        observed.stream().allMatch(other -> process.firstCallMillis() <= other.lastAnswerMillis()));
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
        if (promise != Promise.NONE) {
            complaints.addAll(Answer.failures(answers()));
        }
        if (!promise.isKept(computations())) {
            complaints.add("computations: promise=" + promise + ", found by process=" + computations());
        }
        return complaints;
    }

    @Override
    public void close() throws Exception {
        second.ifPresent(SecondProcess::close);
        stampede.cache().close();
    }
}
