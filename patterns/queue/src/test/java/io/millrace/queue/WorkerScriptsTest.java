// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Scripts;
import io.millrace.client.exception.RedisException;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Direction;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Workers that are released, and workers that leave, step by step. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class WorkerScriptsTest {

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
        return backend(WorkerOptions.DEFAULT.withLease(lease));
    }

    private JobBackend<String> backend(WorkerOptions options) {
        JobBackend<String> backend = new JobBackend<>(client, KEYS, Codec.text(), options, 100);
        assertThat(backend.register()).isEmpty();
        return backend;
    }

    /** Waits until {@code backend} has released the jobs of a worker whose lease has ended. */
    private void awaitReleased(JobBackend<String> backend) {
        Eventually.holds("the jobs of the dead worker are released", () -> {
            backend.renew(List.of());
            List<BuriedJob<String>> unused = backend.release();
            return queue.status().workers().size() == 1;
        });
    }

    private String workerId() {
        return client.call(Command.of("ZRANGE", KEYS.workers(), 0, -1).as(Replies.list(Replies::text)))
                .getFirst();
    }

    @Test
    void jobThatAReleasedWorkerTakesAfterwardsIsFound() {
        JobBackend<String> frozen = backend(Duration.ofMillis(100));
        String frozenId = workerId();
        JobBackend<String> other = backend(Duration.ofSeconds(30));
        awaitReleased(other);
        assertThat(frozen.worker()).isNotEqualTo(other.worker());
        queue.push("a");
        client.call(Command.of("LMOVE", "feeds", KEYS.taken(frozenId), "RIGHT", "LEFT"));

        JobBackend<String> third = backend(Duration.ofSeconds(30)); // looks at released workers at once
        List<BuriedJob<String>> unused = third.release();

        assertThat(queue.status().suspects()).isEqualTo(1);
        assertThat(third.fetch(1, true, NO_WAIT).jobs())
                .extracting(TakenJob::attempt)
                .containsExactly(2);
    }

    @Test
    void releasedWorkerIsForgottenWhenItsListStaysEmpty() {
        JobBackend<String> dead = backend(Duration.ofMillis(100));
        String deadId = workerId();
        JobBackend<String> other = backend(Duration.ofSeconds(30));
        awaitReleased(other);
        assertThat(dead.worker()).isNotEqualTo(other.worker());

        Eventually.holds("the id is forgotten", () -> {
            client.call(Scripts.run(
                    WorkerScripts.RELEASE_EXPIRED,
                    List.of(KEYS.workers(), KEYS.taken(deadId), KEYS.suspects(), KEYS.dead(), KEYS.counts()),
                    List.of(deadId, 3, 100, 1)));
            return client.call(Command.of("ZCARD", KEYS.workers()).as(Replies::integer)) == 1;
        });

        assertThat(workerId()).startsWith(other.worker());
    }

    @Test
    void jobOfAFetchThatIsExecutedAfterTheEndOfItsWorkerIsFound() {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient(Duration.ofMillis(200));
        JobBackend<String> leaving =
                new JobBackend<>(line.client(), KEYS, Codec.text(), WorkerOptions.DEFAULT.withName("mill-1"), 100);
        assertThat(leaving.register()).isEmpty();
        String leavingId = workerId();
        Eventually.holds("the reply of a fetch is lost", () -> losesAFetch(line, leaving));
        Eventually.holds("a later wait has a reply without a job", () -> waits(leaving));

        leaving.leave();
        assertThat(queue.purge(QueuePart.WAITING)).isOne(); // the job of the lost fetch
        queue.push("a");
        client.call(Command.of("LMOVE", "feeds", KEYS.taken(leavingId), "RIGHT", "LEFT")); // a lost fetch
        JobBackend<String> next = backend(WorkerOptions.DEFAULT.withName("mill-1"));
        List<BuriedJob<String>> unused = next.release();

        assertThat(next.fetch(1, true, NO_WAIT).jobs())
                .extracting(job -> job.decode().payload())
                .containsExactly("a");
    }

    /** Returns whether the server has executed a fetch without a reply. Otherwise another command was lost. */
    private boolean losesAFetch(RedisServerExtension.BreakableConnection line, JobBackend<String> backend) {
        Eventually.holds("the worker waits", () -> waits(backend)); // and has asked whether the queue is paused
        queue.push("lost");
        line.proxy().stall(Direction.TO_CLIENT);
        assertThatThrownBy(() -> backend.fetch(1, true, NO_WAIT)).isInstanceOf(RedisException.class);
        line.proxy().disconnectAll(ConnectionEnd.RESET);
        line.proxy().resume(Direction.TO_CLIENT);
        return queue.purge(QueuePart.WAITING) == 0;
    }

    private static boolean waits(JobBackend<String> backend) {
        try {
            return backend.fetch(1, false, Duration.ofMillis(10)).isEmpty();
        } catch (RedisException e) { // the connection is not replaced yet
            return false;
        }
    }
}
