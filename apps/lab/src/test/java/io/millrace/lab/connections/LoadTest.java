// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.client.FailureKind;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Mix;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.experiment.ProgressEvent;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.RoundInThisJvm;
import io.millrace.lab.experiment.WorkContext;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Load without a server: open loop, floods, outcomes. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
class LoadTest {

    private static final Duration TIME = Duration.ofSeconds(1);

    @TempDir
    private Path folder;

    private WorkContext context() {
        Target target = Target.of("127.0.0.1", 1);
        return new WorkContext(target, target, OneRound.SMALL, folder);
    }

    /** A latency from the real start of a command would hide the pause from the commands that start after the pause. */
    @Test
    void pauseCountsForAllCommandsThatShouldHaveStarted() throws Exception {
        FakeClient client = new FakeClient();
        CommandList list = CommandList.mixed(100, 16, Mix.WRITES);
        OpenLoopWork work = new OpenLoopWork(OneRound.mode(() -> client), () -> list, 0, 2_000, TIME);

        RoundDetails details;
        try (ReadyWork ready = work.open(context())) {
            client.pauseOnce(100, 800_000_000);
            ready.prepare();
            assertThat(ready.run()).isEqualTo(2_000);
            details = ready.details();
        }

        // 1,600 of 2,000 commands should start during the pause, so half of all commands wait 300 ms or longer. Only
        // 900
        // commands run at the same time: the others start after the pause.
        assertThat(details.figures().get("p50Micros")).isGreaterThan(290_000);
        assertThat(details.figures().get("maxMicros")).isGreaterThan(790_000);
    }

    @Test
    void semaphoreLimitsTheCommandsInFlight() throws Exception {
        FakeClient limited = new FakeClient();
        var work = new TrafficWork(OneRound.mode(() -> limited), TrafficKind.FLOOD, 1, 10, 0, Duration.ofMillis(200));

        Totals totals = new Totals(FailureKind::of);
        IncrementSender sender = new IncrementSender(limited, totals, 10);
        work.kind().issue(sender, work.time(), 0);
        limited.close();

        assertThat(limited.mostInFlight).hasValueLessThanOrEqualTo(10);
        assertThat(totals.issued()).isPositive().isEqualTo(totals.outcomes().ok());
    }

    @Test
    void everySecondIsReportedAndTheSecondsAddUp() throws Exception {
        ConcurrentLinkedQueue<ProgressEvent.Second> seconds = new ConcurrentLinkedQueue<>();
        var work = new TrafficWork(
                OneRound.mode(() -> new FakeClient()), TrafficKind.STEADY, 2, 0, 1_000, Duration.ofMillis(1_200));

        long done;
        RoundDetails details;
        try (ReadyWork ready = work.open(context())) {
            ready.prepare();
            ready.watch(event -> seconds.add((ProgressEvent.Second) event));
            done = ready.run();
            details = ready.details();
        }

        assertThat(seconds).hasSizeGreaterThanOrEqualTo(2);
        assertThat(seconds.stream().mapToLong(ProgressEvent.Second::issued).sum())
                .isEqualTo(done);
        assertThat(seconds.stream().mapToLong(second -> second.outcomes().ok()).sum())
                .isEqualTo(done);
        assertThat(details.outcomes()).contains(Outcomes.ok(done));
        assertThat(details.figures()).containsEntry("issued", (double) done).containsEntry("pendingAtTheEnd", 0.0);
    }

    /** The end of a client completes the commands that are pending. They have their outcome, which is lost, already. */
    @Test
    void commandThatIsPendingAtTheEndHasOneOutcome() throws Exception {
        AtomicInteger clients = new AtomicInteger(); // the first one is for the warm-up
        var work = new TrafficWork(
                OneRound.mode(() -> new ForgetfulClient(clients.getAndIncrement() == 0 ? 10 : 5)),
                TrafficKind.BLOCKING_CALLBACKS,
                1,
                0,
                0,
                Duration.ofMillis(200));

        RoundDetails details;
        try (ReadyWork ready = work.open(context())) {
            ready.prepare();
            assertThat(ready.run()).isEqualTo(5);
            details = ready.details();
        }

        assertThat(details.outcomes()).contains(new Outcomes(5, 0, 0, 0, 5));
        assertThat(details.figures()).containsEntry("issued", 10.0).containsEntry("pendingAtTheEnd", 5.0);
    }

    /** Otherwise the lab would count commands as lost whose callbacks the client still has to run. */
    @Test
    void labWaitsUntilTenCallbacksHaveBlockedOneAfterTheOther() {
        for (int seconds : List.of(1, 3, 10)) {
            Duration time = Duration.ofSeconds(seconds);
            Duration blocked = TrafficKind.BLOCKING_CALLBACKS.timeLimit(time).multipliedBy(10);

            assertThat(TrafficKind.BLOCKING_CALLBACKS.patience(time)).isGreaterThan(blocked);
        }
    }

    @Test
    void secondsInWhichTheServerStandsStillAreCounted() {
        List<ProgressEvent.Second> seconds = List.of(
                second(1, 10, 0).withServerCommands(100),
                second(2, 0, 5).withServerCommands(0),
                second(3, 0, 0).withServerCommands(0), // nothing to do
                second(4, 10, 0),
                second(5, 10, 0).withServerCommands(0)); // not a whole second

        assertThat(withoutProgress(seconds)).hasValue(1);
        assertThat(withoutProgress(seconds.subList(0, 2))).hasValue(0);
        assertThat(withoutProgress(seconds.subList(3, 5))).isEmpty();
    }

    private static ProgressEvent.Second second(int number, long issued, long pending) {
        return new ProgressEvent.Second(number, issued, Outcomes.NONE, pending, -1);
    }

    private static OptionalDouble withoutProgress(List<ProgressEvent.Second> seconds) {
        return AsynchronousThroughput.secondsWithoutProgress(
                RoundInThisJvm.sample(1, 1, RoundDetails.NONE).withSeconds(seconds));
    }

    @Test
    void percentileOfARoundInWhichTheMachineWasTooBusyIsNotCompared() {
        assertThat(OpenLoopWork.validP99(RoundInThisJvm.sample(1, 1, latency(1_000, 200))))
                .hasValue(1_000);
        assertThat(OpenLoopWork.validP99(RoundInThisJvm.sample(1, 1, latency(1_000, 201))))
                .isEmpty();
        assertThat(OpenLoopWork.validP99(RoundInThisJvm.sample(1, 1, RoundDetails.NONE)))
                .isEmpty();
    }

    private static RoundDetails latency(double p99, double lateStart) {
        return RoundDetails.NONE
                .withFigure("p99Micros", p99)
                .withFigure("lateStartWithoutCommandsP99Micros", lateStart);
    }

    /** A client that occupies all processors delays the starts of commands. The machine is not at fault. */
    @Test
    void lateStartsThatAClientCausesAreNoReasonToLeaveTheRoundOut() {
        RoundDetails details = latency(1_000, 50).withFigure("lateStartP99Micros", 900);

        assertThat(OpenLoopWork.validP99(RoundInThisJvm.sample(1, 1, details))).hasValue(1_000);
    }

    /** A client that lets commands wait is slow; the lab is not late. */
    @Test
    void waitForTooManyRunningCommandsIsNoLateStart() throws Exception {
        FakeClient client = new FakeClient();
        CommandList list = CommandList.mixed(100, 16, Mix.WRITES);
        OpenLoopWork work = new OpenLoopWork(OneRound.mode(() -> client), () -> list, 0, 2_000, TIME);

        RoundDetails details;
        try (ReadyWork ready = work.open(context())) {
            client.pauseOnce(100, 800_000_000);
            ready.prepare();
            ready.run();
            details = ready.details();
        }

        // Of the 1,600 commands that should start during the pause, the last 700 cannot start for up to 400 ms.
        assertThat(details.figures().get("lateStartP99Micros")).isLessThan(300_000);
        assertThat(details.figures().get("p99Micros")).isGreaterThan(700_000);
    }

    @Test
    void percentileWithFewSlowerCommandsIsNotShown() throws Exception {
        CommandList list = CommandList.mixed(100, 16, Mix.WRITES);
        OpenLoopWork work = new OpenLoopWork(OneRound.mode(FakeClient::new), () -> list, 0, 2_000, TIME);

        RoundDetails details;
        try (ReadyWork ready = work.open(context())) {
            ready.prepare();
            ready.run();
            details = ready.details();
        }

        assertThat(details.figures())
                .containsKeys("p50Micros", "p99Micros", "capacityPerSecond")
                .doesNotContainKeys("p999Micros", "p9999Micros");
    }

    @Test
    void outcomesAreCountedByTheKindOfTheFailure() {
        Totals totals = new Totals(FailureKind::of);
        IntStream.range(0, 4).forEach(n -> totals.issue());

        totals.end(null);
        totals.end(new CompletionException(new TimeoutException()));
        totals.end(new CompletionException(new IOException()));

        assertThat(totals.outcomes()).isEqualTo(new Outcomes(1, 0, 1, 0, 1));
        assertThat(totals.pending()).isEqualTo(1);
        assertThat(List.of(totals.since(1).pending(), totals.since(2).issued())).containsExactly(1L, 0L);
    }
}
