// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.Work.DRAIN;
import static io.millrace.queue.Work.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.Command;
import io.millrace.client.RedisClient;
import io.millrace.client.Replies;
import io.millrace.client.StreamEntry;
import io.millrace.client.Streams;
import io.millrace.tasks.FlowReport;
import io.millrace.tasks.Outcome;
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

/** What sources do for their stream besides delivering it: trimming, removing dead consumers, putting aside. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class StreamUpkeepTest {

    private static final String GROUP = "mills";

    @RegisterExtension
    static final Redis REDIS = new Redis();

    private final StreamQueue<String> queue = StreamQueue.of("feeds", FieldsCodec.of("task", TaskCodec.TEXT));

    @Test
    void onlyWhatEveryGroupHasDoneIsTrimmed() throws Exception {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(1_000));
        StreamQueue<String> trimming = queue.trimmingDone(0);
        QueueSource<String> slow = trimming.source(client, "slow", DRAIN.batch(300));
        List<Delivery<String>> first = slow.next();
        FlowReport<?> unused = Work.drain(trimming.source(client, "fast", DRAIN));

        assertThat(client.call(Streams.size("feeds"))).isEqualTo(1_000);
        first.subList(0, 250).forEach(delivery -> slow.settled(new Outcome.Succeeded<>(delivery, 1, "")));
        Eventually.holds("they are acknowledged", () -> slow.account().acknowledged() == 250);
        Eventually.holds("it was trimmed", () -> client.call(Streams.size("feeds")) < 1_000);

        List<StreamEntry<String>> left = client.call(Streams.range("feeds", "-", "+", 2_000));
        assertThat(left).hasSizeBetween(750, 850);
        assertThat(left).extracting(StreamEntry::id).contains(first.get(250).id());
        first.subList(250, 300).forEach(delivery -> slow.settled(new Outcome.Cancelled<>(delivery, 0)));
        slow.close();
        FlowReport<?> rest = Work.drain(trimming.source(client, "slow", DRAIN));
        assertThat(rest.counts().succeeded()).isEqualTo(750);
        assertThat(client.call(Streams.size("feeds"))).isLessThan(100);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1_000})
    void trimmingKeepsUpWithManyTasksAndLeavesAsManyAsItWasToldTo(long kept) {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(25_000));

        FlowReport<?> unused = Work.drain(queue.trimmingDone(kept)
                .source(client, GROUP, DRAIN.batch(5_000).lease(Duration.ofSeconds(30))));

        assertThat(client.call(Streams.size("feeds"))).isBetween(kept, kept + 100);
    }

    @Test
    void sinkCutsTheStreamAtItsLength() {
        RedisClient client = REDIS.client();

        Work.push(queue.cutAt(200).sink(client), Work.tasks(2_000));

        assertThat(client.call(Streams.size("feeds"))).isBetween(200L, 400L);
    }

    @Test
    void deadConsumerOfAMadeUpNameThatHadNothingLeftIsRemoved() {
        Redis.Line line = REDIS.line();
        RedisClient client = REDIS.client();
        QueueSource<String> idle = queue.source(line.client(), GROUP, DRAIN.patience(Duration.ofMillis(50)));
        Work.push(queue.sink(client), Work.tasks(1));
        idle.settled(new Outcome.Succeeded<>(idle.next().getFirst(), 1, ""));
        Eventually.holds("it has nothing left", () -> idle.account().acknowledged() == 1);
        assertThat(consumers(client)).hasSize(1);
        line.cut();
        long cutAt = System.nanoTime();
        Eventually.holds("the lease has passed", () -> System.nanoTime() - cutAt > LEASE.toNanos());

        FlowReport<?> unused = Work.drain(queue.source(client, GROUP, DRAIN));

        assertThat(consumers(client)).isEmpty();
        assertThat(catchThrowable(idle::close)).isNotNull(); // what cannot be said is that it leaves
    }

    @Test
    void entryOfVeryManyFieldsIsPutAsideWithThemInOne() {
        RedisClient client = REDIS.client();
        Map<String, String> fields = new LinkedHashMap<>();
        Work.tasks(5_000).forEach(name -> fields.put(name, "x"));
        client.call(Streams.add("feeds", fields));
        QueueSource<String> source = queue.source(client, GROUP, DRAIN);

        FlowReport<?> report = Work.drain(source);

        assertThat(report.counts().produced()).isZero();
        assertThat(source.account().deadLettered()).isEqualTo(1);
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
    void returnOfAnEarlierDeliveryLeavesALaterOneInHand() {
        RedisClient client = REDIS.client();
        Work.push(queue.sink(client), Work.tasks(1));
        QueueSource<String> source =
                queue.source(client, GROUP, DRAIN.consumer("me").maxDeliveries(3));
        String id = source.next().getFirst().id();

        long earlier = giveBack(client, id, 2);
        long ours = giveBack(client, id, 1);

        assertThat(earlier).isZero();
        assertThat(ours).isOne();
        assertThat(catchThrowable(source::close)).isNull();
    }

    private static long giveBack(RedisClient client, String id, int number) {
        return Replies.integer(StreamScripts.RETURN.run(
                client, List.of("feeds"), List.of(GROUP, "me", "millrace-returned", id, number, 600, number)));
    }

    private static List<?> consumers(RedisClient client) {
        return Replies.items(client.call(Command.of("XINFO CONSUMERS", "feeds", GROUP)));
    }
}
