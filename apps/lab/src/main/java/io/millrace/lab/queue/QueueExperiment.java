// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.queue;

import static io.millrace.lab.experiment.Bar.Limit.atLeast;
import static io.millrace.lab.experiment.Bar.Limit.atMost;

import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.server.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Job queues: how fast jobs are done, how soon a job begins, and which jobs a killed worker loses or repeats. */
public final class QueueExperiment {

    private static final int JOBS = 100_000;
    private static final int MANY_JOBS = 1_000_000;
    private static final int PUSHES = 1_000;
    private static final int JOBS_OF_KILLED = 6_000;
    private static final Duration ROUND_TRIP = Duration.ofMillis(1);

    /** The time of two round trips, and 1 ms. */
    private static final double LONGEST_BEGIN_MILLIS = 2.0 * ROUND_TRIP.toMillis() + 1;

    private static final String MILLRACE = MillraceQueue.WORKER.label();

    private final Parameters parameters;

    private QueueExperiment(Parameters parameters) {
        this.parameters = parameters;
    }

    public static Experiment of(Parameters parameters) {
        var queues = new QueueExperiment(parameters);
        return new Experiment(
                "queues",
                "Job queues",
                "How fast are jobs done, how soon does a job begin, and which jobs does a killed worker lose or repeat? Each"
                        + " worker does " + QueueLibrary.CONCURRENCY + " jobs at the same time.",
                List.of(queues.emptyJobs(), queues.millionJobs(), queues.pushToBegin(), queues.killedWorkers()));
    }

    private RoundPlan plan(int forks, int warmUps, int rounds, Duration expected) {
        return parameters.quick()
                ? RoundPlan.ONE_UNIT.withRounds(1).withExpectedUnit(expected.dividedBy(5))
                : RoundPlan.ONE_UNIT
                        .withForks(forks)
                        .withWarmUps(warmUps)
                        .withRounds(rounds)
                        .withExpectedUnit(expected);
    }

    /**
     * All queues, with fewer jobs than {@link #millionJobs}, because the slowest does some thousand jobs per second. The
     * slowest queue becomes faster during its first 200,000 jobs.
     */
    private Scenario emptyJobs() {
        return emptyJobs("empty-jobs", "Jobs that do nothing", QueueLibraries.ALL, (int) parameters.size(JOBS))
                .plan(plan(2, 2, 2, Duration.ofSeconds(4)))
                .bars(twiceTheBestOf(QueueLibraries.reliablePeers()))
                .build();
    }

    /** A round is so long that it needs no warm-up. A quick run has a hundredth of the jobs. */
    private Scenario millionJobs() {
        int jobs = (int) parameters.size(parameters.quick() ? MANY_JOBS / 10 : MANY_JOBS);
        List<QueueLibrary> libraries = List.of(QueueLibraries.FASTEST_RELIABLE_PEER, MillraceQueue.WORKER);
        return emptyJobs("million-jobs", "Very many jobs that do nothing", libraries, jobs)
                .plan(plan(2, 0, 2, Duration.ofSeconds(parameters.quick() ? 4 : 27)))
                .bars(twiceTheBestOf(List.of(QueueLibraries.FASTEST_RELIABLE_PEER.label())))
                .build();
    }

    private static Scenario.Builder emptyJobs(String name, String title, List<QueueLibrary> libraries, int jobs) {
        return Scenario.named(name, title)
                .unit("jobs")
                .contenders(QueueLibraries.contenders(
                        libraries,
                        String.format(
                                Locale.ROOT,
                                "all %,d jobs wait when the worker starts; a round ends when all are acknowledged",
                                jobs),
                        library -> context -> new EmptyJobsWork(library, context.target(), jobs)))
                .server(ServerUse.checkedBy((server, sample) -> left(server)));
    }

    private static Bar twiceTheBestOf(List<String> peers) {
        return Bar.ratio("jobs per second", MILLRACE, Figure.PER_SECOND, peers, atLeast(2));
    }

    private Scenario pushToBegin() {
        int pushes = (int) parameters.size(PUSHES);
        return Scenario.named("push-to-begin", "From the push of a job to the begin of the job, the worker is idle")
                .unit("jobs")
                .contenders(QueueLibraries.contenders(
                        QueueLibraries.ALL,
                        "a push every " + PushToBeginWork.PERIOD.toMillis() + " ms",
                        library -> context -> new PushToBeginWork(library, context.target(), pushes)))
                .plan(plan(2, 1, 2, PushToBeginWork.PERIOD.multipliedBy(pushes)))
                .roundTrip(ROUND_TRIP)
                .server(ServerUse.checkedBy((server, sample) -> left(server)))
                .figure(PushToBeginWork.MEDIAN, Figure.own(PushToBeginWork.MEDIAN))
                .comparedBy(PushToBeginWork.SLOW, Figure.own(PushToBeginWork.SLOW), true)
                .bars(Bar.absolute(
                        PushToBeginWork.SLOW, MILLRACE, Figure.own(PushToBeginWork.SLOW), atMost(LONGEST_BEGIN_MILLIS)))
                .build();
    }

    private Scenario killedWorkers() {
        int jobs = (int) parameters.size(JOBS_OF_KILLED);
        List<QueueLibrary> libraries = parameters.quick() // each round starts three JVMs
                ? List.of(MillraceQueue.WORKER, RedissonQueue.BLOCKING_QUEUE)
                : QueueLibraries.ALL;
        return Scenario.named(
                        "killed-workers",
                        KilledWorkersWork.KILLS + " workers are killed one after the other, a third does the rest")
                .unit("jobs")
                .contenders(QueueLibraries.contenders(
                        libraries,
                        "a job takes " + KillableWorker.JOB.toMillis() + " ms; a worker that is silent for "
                                + KilledWorkersWork.SILENCE.toSeconds() + " s counts as dead",
                        library -> context -> new KilledWorkersWork(library, context.target(), jobs)))
                .plan(plan(1, 0, 4, Duration.ofSeconds(8)))
                .server(ServerUse.checkedBy((server, sample) -> List.of()))
                .figure(KilledWorkersWork.LOST, Figure.own(KilledWorkersWork.LOST))
                .figure(KilledWorkersWork.TWICE, Figure.own(KilledWorkersWork.TWICE))
                .notCompared()
                .bars(
                        Bar.absolute(KilledWorkersWork.LOST, MILLRACE, Figure.own(KilledWorkersWork.LOST), atMost(0)),
                        Bar.absolute(
                                KilledWorkersWork.TWICE,
                                MILLRACE,
                                Figure.own(KilledWorkersWork.TWICE),
                                atMost(KilledWorkersWork.KILLS * QueueLibrary.CONCURRENCY)))
                .build();
    }

    /** No job may be left in the lists of the queue. */
    private static List<String> left(RedisServer server) {
        long waiting =
                server.control().llen(QueueAdapter.NAME) + server.control().llen(QueueAdapter.TAKEN);
        long taken = server.keys(QueueAdapter.TAKEN + ":");
        long pending = server.control().exists(QueueAdapter.STREAM)
                ? server.control()
                        .xpending(QueueAdapter.STREAM, QueueAdapter.GROUP)
                        .getTotal()
                : 0;
        return waiting + taken + pending == 0
                ? List.of()
                : List.of("jobs that are left: lists=" + waiting + ", lists of workers=" + taken + ", pending="
                        + pending);
    }
}
