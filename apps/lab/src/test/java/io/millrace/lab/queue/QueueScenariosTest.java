// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.queue.QueueAdapter.Consumers;
import io.millrace.lab.queue.QueueAdapter.Handler;
import io.millrace.lab.queue.QueueLibrary.Guarantee;
import io.millrace.lab.server.CpuTime;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.RedisServer;
import io.millrace.lab.statistics.Estimate;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One round of each queue, with all checks; and queues with a fault, which the checks find. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QueueScenariosTest {

    private static final int JOBS = 300;
    private static final Parameters SMALL = new Parameters(
            OptionalLong.of(JOBS),
            Optional.empty(),
            OptionalInt.empty(),
            OptionalInt.empty(),
            Optional.empty(),
            OptionalLong.empty(),
            42,
            true);
    private static final Experiment EXPERIMENT = QueueExperiment.of(SMALL);
    private static final EmbeddedRedis REDIS = EmbeddedRedis.start();
    private static final RedisServer SERVER =
            RedisServer.at(Target.of(REDIS.host(), REDIS.port()), Keyspace.WHOLE, () -> {});

    @AfterAll
    static void stop() {
        SERVER.close();
        REDIS.close();
    }

    static Stream<String> contenders() {
        return EXPERIMENT.scenarios().stream()
                .flatMap(scenario -> scenario.contenders().stream()
                        .filter(contender -> contender.missing(SERVER.target()).isEmpty())
                        .map(contender -> scenario.name() + " " + contender.label()));
    }

    @ParameterizedTest
    @MethodSource("contenders")
    void contenderDoesAllJobsAndPassesAllChecks(String name) throws Exception {
        String[] parts = name.split(" ", 2);
        Scenario scenario = EXPERIMENT.scenario(parts[0]);

        Sample sample = round(scenario, (JvmContender) scenario.contender(parts[1]));

        assertThat(sample.complaints()).isEmpty();
        assertThat(sample.details().figures().keySet())
                .containsAll(scenario.figures().keySet());
        boolean mayLose = parts[0].equals("killed-workers") && !parts[1].equals("millrace/worker");
        assertThat(sample.operations()).isBetween(mayLose ? 1L : JOBS, (long) JOBS);
    }

    private static Sample round(Scenario scenario, JvmContender contender) throws Exception {
        var context = new WorkContext(SERVER.target(), SERVER.target(), SMALL, Path.of("target"));
        SERVER.reset();
        try (ReadyWork ready = contender.work().open(context)) {
            ready.prepare();
            ready.fill();
            long operations = ready.run();
            RoundDetails details = ready.details();
            List<String> complaints = new ArrayList<>(details.complaints());
            complaints.addAll(
                    scenario.server().check().complaints(SERVER, sample(operations, details, details.complaints())));
            return sample(operations, details, complaints);
        }
    }

    private static Sample sample(long operations, RoundDetails details, List<String> complaints) {
        return new Sample(
                1,
                1,
                operations,
                1,
                1.0,
                new CpuTime(0, 0, 0.01),
                Optional.empty(),
                Optional.empty(),
                details,
                List.of(),
                complaints);
    }

    @Test
    void queuesThatCannotBeMeasuredHaveAReason() {
        assertThat(EXPERIMENT.scenario("empty-jobs").contenders().stream()
                        .filter(contender -> contender.missing(SERVER.target()).isPresent())
                        .map(Contender::label))
                .containsExactly("redisson/reliable-queue", "jobrunr");
    }

    @Test
    void millraceDoesAMillionJobsTwiceAsFastAsTheFastestReliablePeer() {
        Experiment full = QueueExperiment.of(Parameters.DEFAULT);
        Scenario million = full.scenario("million-jobs");

        assertThat(million.contenders())
                .filteredOn(contender -> contender.missing(SERVER.target()).isEmpty())
                .extracting(Contender::label)
                .containsExactly("redisson/stream-10", "millrace/worker");
        assertThat(million.contenders())
                .allMatch(contender -> contender.description().note().contains("1,000,000 jobs")
                        || contender.missing(SERVER.target()).isPresent());
        assertThat(million.bars())
                .containsExactly(Bar.ratio(
                        "jobs per second",
                        "millrace/worker",
                        Figure.PER_SECOND,
                        List.of("redisson/stream-10"),
                        Bar.Limit.atLeast(2)));
    }

    /** With fewer rounds, neither a difference nor a limit is proved. */
    @Test
    void eachQueueHasEnoughRoundsToCompare() {
        assertThat(QueueExperiment.of(Parameters.DEFAULT).scenarios())
                .allSatisfy(scenario -> assertThat(
                                scenario.plan().forks() * scenario.plan().rounds())
                        .as(scenario.name())
                        .isGreaterThanOrEqualTo(Estimate.MIN_COUNT));
    }

    /** A queue whose consumers treat each job as {@code fault} says. */
    private static JvmContender faulty(Guarantee guarantee, Fault fault) {
        var library = new QueueLibrary("faulty", "queue", guarantee, "has a fault", "https://", (target, silence) -> {
            QueueAdapter queue = JedisQueue.LIST.opener().open(target, silence);
            return new QueueAdapter() {
                @Override
                public void push(String job) throws Exception {
                    queue.push(job);
                }

                @Override
                public void pushAll(List<String> jobs) throws Exception {
                    queue.pushAll(jobs);
                }

                @Override
                public Consumers start(int concurrency, Handler handler) throws Exception {
                    return queue.start(concurrency, job -> fault.handle(job, handler));
                }

                @Override
                public void close() throws Exception {
                    queue.close();
                }
            };
        });
        return library.contender("", context -> new EmptyJobsWork(library, context.target(), JOBS));
    }

    @FunctionalInterface
    private interface Fault {
        void handle(String job, Handler handler) throws Exception;
    }

    @Test
    void skippedJobIsAComplaint() throws Exception {
        JvmContender skips = faulty(Guarantee.AT_LEAST_ONCE, (job, handler) -> {
            if (!job.equals("7")) {
                handler.handle(job);
            }
        });

        assertThat(round(EXPERIMENT.scenario("empty-jobs"), skips).complaints())
                .containsExactly("jobs that began exactly once: expected=300, found=299");
    }

    @Test
    void jobThatBeginsTwiceIsAComplaint() throws Exception {
        JvmContender repeats = faulty(Guarantee.AT_LEAST_ONCE, (job, handler) -> {
            handler.handle(job);
            if (job.equals("7")) {
                handler.handle(job);
            }
        });

        assertThat(round(EXPERIMENT.scenario("empty-jobs"), repeats).complaints())
                .containsExactly("jobs that began exactly once: expected=300, found=299");
    }

    @Test
    void failureOfAConsumerEndsTheRound() {
        JvmContender fails = faulty(Guarantee.AT_LEAST_ONCE, (job, handler) -> {
            throw new IllegalStateException("job " + job);
        });

        assertThatThrownBy(() -> round(EXPERIMENT.scenario("empty-jobs"), fails))
                .hasMessage("a consumer of the queue failed.")
                .cause()
                .hasMessageStartingWith("job ");
    }

    @Test
    void jobThatIsLeftInTheListOfTakenJobsIsAComplaint() throws Exception {
        SERVER.reset();
        SERVER.control().lpush(QueueAdapter.TAKEN, "job");

        assertThat(EXPERIMENT
                        .scenario("empty-jobs")
                        .server()
                        .check()
                        .complaints(SERVER, sample(1, RoundDetails.NONE, List.of())))
                .containsExactly("jobs that are left: lists=1, lists of workers=0, pending=0");
    }
}
