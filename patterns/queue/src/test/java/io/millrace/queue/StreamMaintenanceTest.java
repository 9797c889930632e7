// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.TestTasks.DRAIN;
import static io.millrace.queue.TestTasks.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.StreamEntry;
import io.millrace.client.command.Streams;
import io.millrace.tasks.Outcome;
import io.millrace.tasks.TaskFlowReport;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Maintenance of streams: trimming, removing dead consumers, dead letters. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class StreamMaintenanceTest {

    private static final String GROUP = "mills";

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private final StreamQueue<String> queue = StreamQueue.of("feeds", FieldsCodec.of("task", Codec.text()));

    @Test
    void onlyEntriesAcknowledgedByAllGroupsAreTrimmed() throws Exception {
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(1_000));
        StreamQueue<String> trimming = queue.trimAcknowledged(0);
        QueueSource<String> slow = trimming.source(client, "slow", DRAIN.batch(300));
        List<Delivery<String>> first = slow.next();
        TaskFlowReport<?> unused = TestTasks.drain(trimming.source(client, "fast", DRAIN));

        assertThat(client.call(Streams.size("feeds"))).isEqualTo(1_000);
        first.subList(0, 250).forEach(delivery -> slow.settled(new Outcome.Succeeded<>(delivery, 1, "")));
        Eventually.holds("the tasks are acknowledged", () -> slow.stats().acknowledged() == 250);
        Eventually.holds("the stream is trimmed", () -> client.call(Streams.size("feeds")) < 1_000);

        List<StreamEntry<String>> left = client.call(Streams.range("feeds", "-", "+", 2_000));
        assertThat(left).hasSizeBetween(750, 850);
        assertThat(left).extracting(StreamEntry::id).contains(first.get(250).id());
        first.subList(250, 300).forEach(delivery -> slow.settled(new Outcome.Cancelled<>(delivery, 0)));
        slow.close();
        TaskFlowReport<?> rest = TestTasks.drain(trimming.source(client, "slow", DRAIN));
        assertThat(rest.counts().succeeded()).isEqualTo(750);
        assertThat(client.call(Streams.size("feeds"))).isLessThan(100);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1_000})
    void trimmingRemovesManyEntriesAndKeepsTheConfiguredNumber(long kept) {
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(25_000));

        TaskFlowReport<?> unused = TestTasks.drain(queue.trimAcknowledged(kept)
                .source(client, GROUP, DRAIN.batch(5_000).lease(Duration.ofSeconds(30))));

        assertThat(client.call(Streams.size("feeds"))).isBetween(kept, kept + 100);
    }

    @Test
    void sinkLimitsTheLengthOfTheStream() {
        RedisClient client = REDIS.client();

        TestTasks.push(queue.maxLength(200).sink(client), TestTasks.tasks(2_000));

        assertThat(client.call(Streams.size("feeds"))).isBetween(200L, 400L);
    }

    @Test
    void deadConsumerWithAGeneratedNameAndNoPendingTaskIsRemoved() {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        RedisClient client = REDIS.client();
        QueueSource<String> idle = queue.source(line.client(), GROUP, DRAIN.retryTimeout(Duration.ofMillis(50)));
        TestTasks.push(queue.sink(client), TestTasks.tasks(1));
        idle.settled(new Outcome.Succeeded<>(idle.next().getFirst(), 1, ""));
        Eventually.holds("the consumer has no pending task", () -> idle.stats().acknowledged() == 1);
        assertThat(consumers(client)).hasSize(1);
        line.disconnect();
        long cutAt = System.nanoTime();
        Eventually.holds("the lease has passed", () -> System.nanoTime() - cutAt > LEASE.toNanos());

        TaskFlowReport<?> unused = TestTasks.drain(queue.source(client, GROUP, DRAIN));

        assertThat(consumers(client)).isEmpty();
        assertThat(catchThrowable(idle::close)).isNotNull(); // the consumer cannot be removed without a connection
    }

    @Test
    void deadLetterOfAnEntryWithManyFieldsStoresTheFieldsInOneField() {
        RedisClient client = REDIS.client();
        Map<String, String> fields = new LinkedHashMap<>();
        TestTasks.tasks(5_000).forEach(name -> fields.put(name, "x"));
        client.call(Streams.add("feeds", fields));
        QueueSource<String> source = queue.source(client, GROUP, DRAIN);

        TaskFlowReport<?> report = TestTasks.drain(source);

        assertThat(report.counts().produced()).isZero();
        assertThat(source.stats().deadLettered()).isEqualTo(1);
        assertThat(client.call(Streams.range(queue.deadLetters(), "-", "+", 10)))
                .singleElement()
                .satisfies(letter -> assertThat(letter.fields())
                        .containsOnlyKeys(
                                "millrace-fields",
                                "millrace-id",
                                "millrace-group",
                                "millrace-deliveries",
                                "millrace-reason"));
    }

    @Test
    void returningAnEarlierDeliveryKeepsTheLaterDeliveryPending() {
        RedisClient client = REDIS.client();
        TestTasks.push(queue.sink(client), TestTasks.tasks(1));
        QueueSource<String> source =
                queue.source(client, GROUP, DRAIN.consumer("me").maxDeliveries(3));
        String id = source.next().getFirst().id();

        long earlier = release(client, id, 2);
        long current = release(client, id, 1);

        assertThat(earlier).isZero();
        assertThat(current).isOne();
        assertThat(catchThrowable(source::close)).isNull();
    }

    private static long release(RedisClient client, String id, int number) {
        return client.call(Scripts.run(
                        StreamScripts.RETURN,
                        List.of("feeds"),
                        List.of(GROUP, "me", "millrace-returned", id, number, 600, number))
                .as(Replies::integer));
    }

    private static List<?> consumers(RedisClient client) {
        return Replies.items(client.call(Command.of("XINFO CONSUMERS", "feeds", GROUP)));
    }
}
