// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The backend of a job queue, step by step: repeated and late commands, and workers whose lease has ended. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class JobScriptsTest {

    private static final JobKeys KEYS = new JobKeys("feeds");
    private static final Duration NO_WAIT = Duration.ZERO;

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private RedisClient client;
    private JobQueue<String> queue;

    @BeforeEach
    void connect() {
        client = REDIS.client();
        queue = TestJobs.queue(client);
    }

    /** Returns the backend of a registered worker. */
    private JobBackend<String> backend(Duration lease) {
        return backend(WorkerOptions.DEFAULT.withLease(lease).withMaxDeaths(3));
    }

    private JobBackend<String> backend(WorkerOptions options) {
        JobBackend<String> backend = new JobBackend<>(client, KEYS, Codec.text(), options, 100);
        assertThat(backend.register()).isEmpty();
        return backend;
    }

    @Test
    void repeatedAcknowledgementChangesNothing() {
        queue.push("a");
        JobBackend<String> backend = backend(Duration.ofSeconds(30));
        TakenJob<String> job = backend.fetch(1, true, NO_WAIT).jobs().getFirst();
        Command<Boolean> done =
                backend.acknowledgement(Acknowledgement.done(job)).orElseThrow();

        assertThat(client.call(done)).isTrue();
        assertThat(client.call(done)).isFalse();
        assertThat(queue.status().running()).isZero();
    }

    @Test
    void acknowledgementOfAnEarlierAttemptKeepsTheLaterAttempt() {
        queue.push("a");
        JobBackend<String> one = backend(Duration.ofMillis(100));
        TakenJob<String> first = one.fetch(1, true, NO_WAIT).jobs().getFirst();
        JobBackend<String> other = backend(Duration.ofSeconds(30));
        awaitReleased(other);
        TakenJob<String> second = other.fetch(1, true, NO_WAIT).jobs().getFirst();

        boolean held =
                client.call(one.acknowledgement(Acknowledgement.done(first)).orElseThrow());

        assertThat(held).isFalse();
        assertThat(second.id()).isEqualTo(first.id());
        assertThat(second.attempt()).isEqualTo(2);
        assertThat(second.suspect()).isTrue();
        assertThat(queue.status().running()).isEqualTo(1);
    }

    /** Waits until {@code backend} has released the jobs of a worker whose lease has ended. */
    private void awaitReleased(JobBackend<String> backend) {
        Eventually.holds("the jobs of the dead worker are released", () -> {
            backend.renew(List.of());
            List<BuriedJob<String>> unused = backend.release();
            return queue.status().workers().size() == 1;
        });
    }

    @Test
    void workerTakesOneSuspectAtATime() {
        queue.pushAll(TestJobs.payloads(5));
        JobBackend<String> dying = backend(Duration.ofMillis(100));
        assertThat(dying.fetch(5, true, NO_WAIT).jobs()).hasSize(5);
        JobBackend<String> backend = backend(Duration.ofSeconds(30));
        awaitReleased(backend);
        queue.push("fresh");

        List<TakenJob<String>> first = backend.fetch(4, true, NO_WAIT).jobs();
        List<TakenJob<String>> second = backend.fetch(4, false, NO_WAIT).jobs();
        List<TakenJob<String>> third = backend.fetch(4, true, NO_WAIT).jobs();

        assertThat(first).extracting(job -> job.decode().payload()).containsExactly("t0", "fresh");
        assertThat(second).isEmpty();
        assertThat(third).extracting(job -> job.decode().payload()).containsExactly("t1");
        assertThat(queue.status().suspects()).isEqualTo(3);
    }

    @Test
    void jobWhoseWorkersDieIsBuriedWithTheNumberOfDeaths() {
        queue.push("a");
        for (int death = 1; death <= 3; death++) {
            JobBackend<String> dying = backend(Duration.ofMillis(100));
            assertThat(dying.fetch(5, true, NO_WAIT).jobs())
                    .extracting(TakenJob::attempt)
                    .containsExactly(death);
            Eventually.holds("the job is released", () -> {
                JobBackend<String> living = backend(Duration.ofSeconds(30));
                living.renew(List.of());
                List<BuriedJob<String>> buried = living.release();
                living.leave();
                buried.forEach(job -> assertThat(job.deaths()).isEqualTo(3));
                buried.forEach(job -> assertThat(job.job().attempt()).isEqualTo(3));
                return queue.status().workers().isEmpty();
            });
        }

        assertThat(queue.dead(10)).singleElement().satisfies(job -> {
            assertThat(job.reason()).isEqualTo("the worker died 3 times while this job ran");
            assertThat(job.attempts()).isEqualTo(3);
        });
        assertThat(queue.status().suspects()).isZero();
    }

    @Test
    void workerWhoseJobsWereReleasedRegistersAgainAndTakesJobs() {
        queue.push("a");
        JobBackend<String> silent = backend(Duration.ofMillis(100));
        assertThat(silent.fetch(1, true, NO_WAIT).jobs()).hasSize(1);
        JobBackend<String> other = backend(Duration.ofSeconds(30));
        awaitReleased(other);

        silent.renew(List.of());
        List<TakenJob<String>> again = silent.fetch(1, true, NO_WAIT).jobs();

        assertThat(queue.status().workers()).hasSize(2);
        assertThat(again).extracting(TakenJob::attempt).containsExactly(2);
    }

    @Test
    void silentWorkerWhoseNameIsInUseTakesNoJobs() {
        WorkerOptions named = WorkerOptions.DEFAULT.withName("mill-1");
        JobBackend<String> silent = backend(named.withLease(Duration.ofMillis(100)));
        Optional<Duration> refused = new JobBackend<>(client, KEYS, Codec.text(), named, 100).register();
        JobBackend<String> successor = new JobBackend<>(client, KEYS, Codec.text(), named, 100);
        Eventually.holds("the lease has ended", () -> successor.register().isEmpty());
        awaitReleased(successor);
        queue.push("a");

        assertThat(refused)
                .hasValueSatisfying(left -> assertThat(left).isBetween(Duration.ZERO, Duration.ofMillis(100)));
        assertThatThrownBy(() -> silent.renew(List.of()))
                .isInstanceOf(QueueException.class)
                .hasMessageMatching("the worker takes no jobs: another live worker has taken its name: queue=feeds, "
                        + "worker=mill-1, remainingLease=\\d+ ms\\. Close one of the two workers, .*");
        assertThat(silent.fetch(1, true, NO_WAIT).jobs()).isEmpty();
        assertThat(successor.fetch(1, true, NO_WAIT).jobs()).hasSize(1);
    }

    @Test
    void liveWorkerKeepsItsJobs() {
        queue.push("a");
        JobBackend<String> living = backend(Duration.ofSeconds(30));
        assertThat(living.fetch(1, true, NO_WAIT).jobs()).hasSize(1);

        List<Object> arguments = List.of(workerId(), 3, 100, 1_000);
        client.call(Scripts.run(
                WorkerScripts.RELEASE_EXPIRED,
                List.of(KEYS.workers(), KEYS.taken(workerId()), KEYS.suspects(), KEYS.dead(), KEYS.counts()),
                arguments));

        assertThat(queue.status().running()).isEqualTo(1);
    }

    private String workerId() {
        return client.call(Command.of("ZRANGE", KEYS.workers(), 0, -1).as(Replies.list(Replies::text)))
                .getFirst();
    }

    @Test
    void jobsOfALostFetchAreFound() {
        queue.pushAll(List.of("a", "b"));
        client.call(Lists.pushLeft("feeds", "plain", "plain"));
        JobBackend<String> backend = backend(Duration.ofSeconds(30));
        assertThat(backend.fetch(1, true, NO_WAIT).jobs()).hasSize(1);
        byte[] taken = KEYS.taken(workerId()).getBytes(UTF_8);
        for (int i = 0; i < 3; i++) { // as if the replies were lost
            client.call(Command.of("LMOVE", "feeds", taken, "RIGHT", "LEFT"));
        }

        backend.renew(List.of());
        List<TakenJob<String>> found = backend.fetch(2, true, NO_WAIT).jobs();
        List<TakenJob<String>> rest = backend.fetch(2, true, NO_WAIT).jobs();

        assertThat(found).extracting(job -> job.decode().payload()).containsExactly("b", "plain");
        assertThat(rest).extracting(job -> job.decode().payload()).containsExactly("plain");
        assertThat(found).extracting(TakenJob::attempt).containsOnly(1);
    }

    @Test
    void failedJobStaysHeldIfItsNextPlaceIsNotASortedSet() {
        queue.push("a");
        JobBackend<String> backend = backend(Duration.ofSeconds(30));
        TakenJob<String> job = backend.fetch(1, true, NO_WAIT).jobs().getFirst();
        client.call(Strings.set(KEYS.delayed(), "not a sorted set"));
        client.call(Strings.set(KEYS.dead(), "not a list"));

        assertThatThrownBy(() -> client.call(backend.acknowledgement(Acknowledgement.failed(job, "x", Duration.ZERO))
                        .orElseThrow()))
                .hasMessageContaining("WRONGTYPE");
        assertThatThrownBy(() -> client.call(
                        backend.acknowledgement(Acknowledgement.dead(job, "x")).orElseThrow()))
                .hasMessageContaining("WRONGTYPE");

        assertThat(client.call(Lists.size(KEYS.taken(workerId())))).isOne();
    }

    @Test
    void suspectThatFailsIsASuspectAgainWhenItIsDue() {
        queue.push("a");
        JobBackend<String> dying = backend(Duration.ofMillis(100));
        assertThat(dying.fetch(1, true, NO_WAIT).jobs()).hasSize(1);
        JobBackend<String> backend = backend(Duration.ofSeconds(30));
        awaitReleased(backend);
        TakenJob<String> second = backend.fetch(1, true, NO_WAIT).jobs().getFirst();
        assertThat(client.call(backend.acknowledgement(Acknowledgement.failed(second, "x", Duration.ZERO))
                        .orElseThrow()))
                .isTrue();

        long moved = client.call(
                Scripts.run(JobScripts.PROMOTE, List.of(KEYS.delayed(), "feeds", KEYS.suspects()), List.of(10))
                        .as(Replies::integer));

        assertThat(moved).isOne();
        assertThat(queue.status().suspects()).isOne();
        assertThat(queue.status().waiting()).isZero();
    }

    @Test
    void recurringJobIsPushedOnlyOnceForEachTime() {
        client.call(Command.of("ZADD", KEYS.recurringDue(), 5, "nightly"));
        List<Object> arguments = List.of("nightly", 5, 9, "payload");
        List<String> keys = List.of(KEYS.recurringDue(), "feeds", KEYS.recurringLast());

        long first =
                client.call(Scripts.run(RecurringScripts.FIRE, keys, arguments).as(Replies::integer));
        long second =
                client.call(Scripts.run(RecurringScripts.FIRE, keys, arguments).as(Replies::integer));

        assertThat(first).isOne();
        assertThat(second).isZero();
        assertThat(client.call(Lists.range("feeds", 0, -1))).containsExactly("payload");
    }

    @Test
    void recurringJobThatIsNotDueByTheClockOfTheServerIsNotPushed() {
        long soon = client.call(Server.time()).plusSeconds(3_600).toEpochMilli();
        client.call(Command.of("ZADD", KEYS.recurringDue(), soon, "nightly"));

        long pushed = client.call(Scripts.run(
                        RecurringScripts.FIRE,
                        List.of(KEYS.recurringDue(), "feeds", KEYS.recurringLast()),
                        List.of("nightly", soon, soon + 1, "payload"))
                .as(Replies::integer));

        assertThat(pushed).isZero();
        assertThat(queue.size()).isZero();
    }

    @Test
    void equalPayloadsOfOtherProgramsAreTwoJobs() {
        client.call(Lists.pushLeft("feeds", "x", "x"));
        JobBackend<String> backend = backend(Duration.ofSeconds(30));
        List<TakenJob<String>> jobs = backend.fetch(2, true, NO_WAIT).jobs();
        Command<Boolean> done =
                backend.acknowledgement(Acknowledgement.done(jobs.getFirst())).orElseThrow();

        assertThat(client.call(done)).isTrue();
        assertThat(client.call(done)).isFalse();
        assertThat(queue.status().running()).isEqualTo(1);
        assertThat(jobs).extracting(TakenJob::id).doesNotHaveDuplicates();
    }

    @Test
    void payloadThatAnIdleWorkerTakesHasAnIdAndKeepsItWhenItIsGivenBack() {
        JobBackend<String> backend = backend(Duration.ofSeconds(30));
        client.call(Lists.pushLeft("feeds", "x"));
        TakenJob<String> job =
                backend.fetch(1, false, Duration.ofSeconds(1)).jobs().getFirst();

        backend.leave();

        assertThat(queue.peek(10)).singleElement().satisfies(waiting -> {
            assertThat(waiting.id()).isEqualTo(job.id());
            assertThat(waiting.payload()).isEqualTo("x");
            assertThat(waiting.attempt()).isEqualTo(1);
        });
    }

    @Test
    void failuresAndDeathsAreCountedSeparately() {
        queue.push("a");
        JobBackend<String> dying = backend(Duration.ofMillis(100));
        TakenJob<String> first = dying.fetch(1, true, NO_WAIT).jobs().getFirst();
        client.call(dying.acknowledgement(Acknowledgement.failed(first, "x", Duration.ZERO))
                .orElseThrow());
        client.call(Scripts.run(JobScripts.PROMOTE, List.of(KEYS.delayed(), "feeds", KEYS.suspects()), List.of(10)));
        TakenJob<String> second = dying.fetch(1, true, NO_WAIT).jobs().getFirst();
        JobBackend<String> backend = backend(Duration.ofSeconds(30));
        awaitReleased(backend);

        TakenJob<String> third = backend.fetch(1, true, NO_WAIT).jobs().getFirst();

        assertThat(first.failures()).isZero();
        assertThat(second.failures()).isEqualTo(1);
        assertThat(second.suspect()).isFalse();
        assertThat(third.failures()).isEqualTo(1);
        assertThat(third.suspect()).isTrue();
        assertThat(third.attempt()).isEqualTo(3);
    }

    @Test
    void rejectedJobIsGivenBackUncounted() {
        queue.push("a");
        JobBackend<String> backend = backend(Duration.ofSeconds(30));
        TakenJob<String> job = backend.fetch(1, true, NO_WAIT).jobs().getFirst();

        boolean held = client.call(
                backend.acknowledgement(Acknowledgement.rejected(job)).orElseThrow());

        assertThat(held).isTrue();
        assertThat(queue.peek(10)).extracting(Job::id).containsExactly(job.id());
        assertThat(queue.status().running()).isZero();
    }
}
