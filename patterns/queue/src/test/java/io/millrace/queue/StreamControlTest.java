// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.TestJobs.drain;
import static io.millrace.queue.TestJobs.payloads;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Streams;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What an operator does with a queue in a stream, and the counts of failures and deaths. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class StreamControlTest {

    private static final String GROUP = "mills";

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private RedisClient client;
    private StreamQueue<String> queue;

    @BeforeEach
    void connect() {
        client = REDIS.client();
        queue = StreamQueue.of(client, "feeds", FieldsCodec.of("task", Codec.text()));
    }

    @Test
    void pausedQueueGivesNoJobsUntilItIsResumed() {
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        queue.pause();
        String unused = queue.push("a");
        try (Worker worker = queue.worker(GROUP, 1, job -> done.add(job.payload()))
                .stopOnShutdown(false)
                .start()) {
            Eventually.holds(
                    "the worker has seen the pause", () -> worker.stats().state() == WorkerState.PAUSED);
            assertThat(queue.status().paused()).isTrue();
            assertThat(queue.size()).isEqualTo(1);
            assertThat(done).isEmpty();

            queue.resume();

            Eventually.holds("the job is done", () -> done.contains("a"));
            assertThat(queue.status().paused()).isFalse();
        }
    }

    @Test
    void deadLettersAreListedRedrivenAndPurged() throws Exception {
        List<String> ids = queue.pushAll(payloads(5));
        WorkerStats unused = drain(queue.worker(GROUP, 1, job -> {
                    throw new IllegalStateException("poison");
                })
                .maxAttempts(1));

        List<DeadLetter> dead = queue.dead(10);
        boolean newest = queue.redrive(dead.getFirst().id());
        boolean again = queue.redrive(dead.getFirst().id());
        long two = queue.redrive(2);
        List<Job<String>> done = new ArrayList<>();
        WorkerStats stats = drain(queue.worker(GROUP, 1, done::add));
        long purged = queue.purgeDead();

        assertThat(dead).extracting(DeadLetter::entry).containsExactlyElementsOf(ids.reversed());
        assertThat(dead.getFirst().group()).isEqualTo(GROUP);
        assertThat(dead.getFirst().deliveries()).isEqualTo(1);
        assertThat(dead.getFirst().reason()).isEqualTo("failed: java.lang.IllegalStateException: poison");
        assertThat(dead.getFirst().fields()).containsOnlyKeys("task");
        assertThat(new String(dead.getFirst().fields().get("task"), UTF_8)).isEqualTo("t4");
        assertThat(newest).isTrue();
        assertThat(again).isFalse();
        assertThat(two).isEqualTo(2);
        assertThat(done).extracting(Job::payload).containsExactly("t4", "t0", "t1");
        assertThat(done).extracting(Job::attempt).containsOnly(1);
        assertThat(stats.succeeded()).isEqualTo(3);
        assertThat(purged).isEqualTo(2);
        assertThat(queue.dead(10)).isEmpty();
    }

    @Test
    void failedEntryIsFreeAndIsNotASuspect() {
        String id = deliver("me");

        long first = fail(id, 0, 1);
        long second = fail(id, 0, 1);
        List<Claimed> claimed = claim("other", 3);

        assertThat(first).isOne();
        assertThat(second).isZero();
        assertThat(claimed).containsExactly(new Claimed(id, 2, 1, 0));
    }

    @Test
    void failedEntryThatIsNotDueIsNotClaimed() {
        String id = deliver("me");

        long failed = fail(id, 3_600_000, 1);

        assertThat(failed).isOne();
        assertThat(claim("other", 3)).isEmpty();
    }

    @Test
    void workerClaimsNoEntryThatItHolds() {
        String id = deliver("me");

        List<Claimed> held = claim("me", 3, id);
        List<Claimed> forgotten = claim("me", 3);
        List<Claimed> ofOther = claim("other", 3, id);

        assertThat(held).isEmpty();
        assertThat(forgotten).containsExactly(new Claimed(id, 2, 0, 1));
        assertThat(ofOther).containsExactly(new Claimed(id, 3, 0, 2));
    }

    @Test
    void attemptThatCountsAsADeathMakesItsEntryASuspect() {
        String id = deliver("me");

        long failed = fail(id, 0, 0);

        assertThat(failed).isOne();
        assertThat(claim("other", 3)).containsExactly(new Claimed(id, 2, 0, 1));
    }

    @Test
    void entryWithoutAFailureHasOneDeathForEachDelivery() {
        String id = deliver("me");

        List<Claimed> second = claim("other", 3);
        List<Claimed> third = claim("third", 3);
        List<Claimed> none = claim("fourth", 3);

        assertThat(second).containsExactly(new Claimed(id, 2, 0, 1));
        assertThat(third).containsExactly(new Claimed(id, 3, 0, 2));
        assertThat(none).isEmpty();
        assertThat(queue.dead(10)).singleElement().satisfies(letter -> {
            assertThat(letter.reason()).isEqualTo("the worker died 3 times while this job ran");
            assertThat(letter.deliveries()).isEqualTo(3);
        });
    }

    /** Adds an entry and delivers it to a consumer. Returns its ID. */
    private String deliver(String consumer) {
        String id = client.call(Streams.add("feeds", Map.of("task", "a")));
        client.call(Streams.createGroup("feeds", GROUP, "0"));
        client.call(Command.of("XREADGROUP", "GROUP", GROUP, consumer, "STREAMS", "feeds", ">"));
        return id;
    }

    /** Ends the first delivery of an entry. {@code failures} is 1, or 0 if the attempt counts as a death. */
    private long fail(String id, long backoffMillis, int failures) {
        return client.call(Scripts.run(
                        StreamScripts.FAIL,
                        List.of("feeds", failures()),
                        List.of(GROUP, "me", StreamScripts.FREE, id, 1, 0, backoffMillis, failures))
                .as(Replies::integer));
    }

    private static String failures() {
        return group().failures();
    }

    private static StreamGroup group() {
        return new StreamGroup("feeds", GROUP, "0", 0, 100);
    }

    /** A claimed entry. */
    private record Claimed(String id, long attempt, long failures, long deaths) {}

    /** Claims entries without regard to their idle time. */
    private List<Claimed> claim(String consumer, int maxDeaths, String... held) {
        List<Object> arguments =
                new ArrayList<>(List.of(GROUP, consumer, 0, 10, 1, maxDeaths, 100, StreamScripts.FREE, 1, "-"));
        arguments.addAll(List.of(held));
        return Replies.items(client.call(Scripts.run(
                        StreamScripts.CLAIM,
                        List.of("feeds", queue.deadLetters(), failures(), group().counts()),
                        arguments)))
                .stream()
                .limit(1)
                .flatMap(jobs -> Replies.items(jobs).stream())
                .map(Replies::items)
                .map(facts -> new Claimed(
                        Replies.text(facts.get(0)),
                        Replies.integer(facts.get(1)),
                        Replies.integer(facts.get(3)),
                        Replies.integer(facts.get(4))))
                .toList();
    }
}
