// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.ProcessContender;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.measure.WorkerMessages.Opening;
import io.millrace.lab.server.LabException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** All rounds of one contender in one scenario over one distance. Ends with the first failure. Used by one thread. */
final class ContenderRun {

    private final Contender contender;
    private final Opening opening;
    private final RoundPlan plan;
    private final WorkerPool workers;
    private final ProgressLine progress;
    private final List<Sample> samples = new ArrayList<>();
    private Optional<ReadyContender> ready = Optional.empty();
    private Optional<String> failure = Optional.empty();

    ContenderRun(Contender contender, Opening opening, RoundPlan plan, WorkerPool workers, ProgressLine progress) {
        this.contender = contender;
        this.opening = opening;
        this.plan = plan;
        this.workers = workers;
        this.progress = progress;
    }

    Contender contender() {
        return contender;
    }

    List<Sample> samples() {
        return samples;
    }

    Optional<String> failure() {
        return failure;
    }

    /**
     * Runs one round, unless the contender has failed before.
     *
     * @param title for messages
     * @param round measures the ready contender
     * @return false if the contender failed in this round
     */
    boolean round(String title, Function<ReadyContender, Sample> round) {
        if (failure.isPresent()) {
            return true;
        }
        try {
            progress.now(title);
            ReadyContender running = ready.filter(ReadyContender::isAlive).orElseGet(this::open);
            ready = Optional.of(running);
            Sample sample = round.apply(running);
            samples.add(sample);
            progress.line(title + ": " + text(sample));
            return true;
        } catch (LabInterrupted | JedisConnectionException e) {
            throw e; // The user ends the lab, or the lab has lost the server: no contender is to blame.
        } catch (RuntimeException e) {
            fail(title, e);
            return false;
        }
    }

    private ReadyContender open() {
        return switch (contender) {
            case JvmContender jvm -> workers.open(jvm, opening, plan);
            case ProcessContender process -> ProcessRound.open(process, opening.context());
        };
    }

    private void fail(String title, RuntimeException e) {
        String why = e instanceof LabException ? String.valueOf(e.getMessage()) : FailureText.of(e);
        failure = Optional.of(failure.map(first -> first + "; " + why).orElse(why));
        progress.line(title + ": FAILED: " + why);
        abort();
    }

    private static String text(Sample sample) {
        String figures = String.format(
                        Locale.ROOT,
                        "%.3f s, %,d operations, %,.0f/s, client CPU %.3f s",
                        sample.wallSeconds(),
                        sample.operations(),
                        sample.perSecond(),
                        sample.client().seconds())
                + sample.server()
                        .map(cpu -> String.format(Locale.ROOT, ", server CPU %.3f s", cpu.seconds()))
                        .orElse("")
                + sample.details().remark().map(remark -> ", " + remark).orElse("");
        return sample.complaints().isEmpty()
                ? figures
                : figures + ", WRONG DATA: " + String.join("; ", sample.complaints());
    }

    /** Closes the contender after the rounds of one process. */
    void close(String title) {
        try {
            ready.ifPresent(ReadyContender::close);
            ready = Optional.empty();
        } catch (LabException e) {
            fail(title + ", close", e);
        }
    }

    /** Ends the contender without waiting for its work. */
    void abort() {
        ready.ifPresent(ReadyContender::abort);
        ready = Optional.empty();
    }
}
