// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.Work.DRAIN;
import static io.millrace.queue.Work.LEASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.RedisClient;
import io.millrace.tasks.Flow;
import io.millrace.tasks.Outcome;
import io.millrace.tasks.RunningFlow;
import io.millrace.testkit.Direction;
import io.millrace.testkit.Ending;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a source makes of commands that were executed and of whose answers it never heard. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LostAnswerTest {

    private static final String KEY = "feeds";
    private static final String NAME = "mill-1";
    private static final Duration SHORT = Duration.ofMillis(200);

    /** No command is given up before its connection ends. */
    private static final Duration LONG = Duration.ofSeconds(20);

    private static final ConsumerOptions NAMED =
            ConsumerOptions.DEFAULT.consumer(NAME).endingWhenEmpty();

    @RegisterExtension
    static final Redis REDIS = new Redis();

    @ParameterizedTest
    @EnumSource
    void whatTheServerWasToldThoughItsAnswerWasLostIsNotTakenAway(Kind kind) {
        Redis.Line line = REDIS.line(LONG);
        RedisClient client = REDIS.client();
        Work.push(kind.sink(client, KEY), Work.tasks(10));
        CountDownLatch mayEnd = new CountDownLatch(1);
        QueueSource<String> source = kind.source(line.client(), KEY, NAMED);
        RunningFlow<Delivery<String>> flow = Flow.from(source).consumers(10).start(delivery -> mayEnd.await());
        Eventually.holds("all are in hand", () -> source.account().inHand() == 10);

        loseAnswers(line, kind, client, mayEnd);

        assertThat(flow.await().counts().succeeded()).isEqualTo(10);
        assertThat(source.account().acknowledged()).isEqualTo(10);
        assertThat(source.account().takenAway()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void letterOfWhichTheAnswerWasLostIsCounted(Kind kind) {
        Redis.Line line = REDIS.line(LONG);
        RedisClient client = REDIS.client();
        Work.push(kind.sink(client, KEY), Work.tasks(10));
        CountDownLatch mayEnd = new CountDownLatch(1);
        QueueSource<String> source = kind.source(line.client(), KEY, NAMED.maxDeliveries(1));
        RunningFlow<Delivery<String>> flow = Flow.from(source)
                .consumers(10)
                .carryOn()
                .start(delivery -> {
                    mayEnd.await();
                    throw new IllegalStateException("poison");
                });
        Eventually.holds("all are in hand", () -> source.account().inHand() == 10);

        loseAnswers(line, kind, client, mayEnd);

        assertThat(flow.await().counts().failed()).isEqualTo(10);
        assertThat(source.account().deadLettered()).isEqualTo(10);
        assertThat(source.account().deadLetters()).hasSize(10);
    }

    private static void loseAnswers(Redis.Line line, Kind kind, RedisClient client, CountDownLatch mayEnd) {
        line.proxy().stall(Direction.TO_CLIENT);
        mayEnd.countDown();
        Eventually.holds(
                "the server knows of some", // the keeper may be told of the others while it waits
                () -> kind.inHandsOf(NAME, client, KEY).size() < 10);
        line.proxy().disconnectAll(Ending.RESET);
        line.proxy().resume(Direction.TO_CLIENT);
    }

    @ParameterizedTest
    @EnumSource
    void sourceThatIsClosedWhileItIsBeingOpenedLeavesNoThread(Kind kind) throws Exception {
        Redis.Line line = REDIS.line();
        QueueSource<String> source = kind.source(line.client(), KEY, DRAIN);
        line.proxy().stall(Direction.TO_CLIENT);
        long sent = line.proxy().forwardedBytes(Direction.TO_SERVER);
        Thread opening =
                Thread.startVirtualThread(() -> assertThat(source.next()).isEmpty());
        line.proxy().awaitForwarded(Direction.TO_SERVER, sent + 1, Duration.ofSeconds(10));

        source.close();
        line.proxy().resume(Direction.TO_CLIENT);

        opening.join();
        assertThatThrownBy(source::next)
                .hasMessage("a source is asked for tasks after it was closed: queue=feeds. Make one for each flow.");
    }

    @ParameterizedTest
    @EnumSource
    void consumerThatWasAwayForLongerThanTheLeaseTakesNothingFromItself(Kind kind) throws Exception {
        Redis.Line line = REDIS.line();
        Work.push(kind.sink(REDIS.client(), KEY), Work.tasks(5));
        QueueSource<String> source = kind.source(line.client(), KEY, DRAIN.maxDeliveries(1));
        List<Delivery<String>> deliveries = source.next();
        line.cut();
        long cutAt = System.nanoTime();
        Eventually.holds("two leases have passed", () -> System.nanoTime() - cutAt > 2 * LEASE.toNanos());

        Thread looking =
                Thread.startVirtualThread(() -> assertThat(source.next()).isEmpty());
        line.mend();
        long mendedAt = System.nanoTime();
        Eventually.holds("it has looked", () -> System.nanoTime() - mendedAt > LEASE.toNanos());
        for (Delivery<String> delivery : deliveries) {
            source.settled(new Outcome.Succeeded<>(delivery, 1, "done"));
        }
        looking.join();
        source.close();

        assertThat(source.account().acknowledged()).isEqualTo(5);
        assertThat(source.account().deadLettered()).isZero();
    }

    @Test
    void sourceThatCannotTellOfVeryManyGivesUpWhenItsPatienceIsAtItsEnd() {
        Redis.Line line = REDIS.line();
        Work.push(Kind.LIST.sink(REDIS.client(), KEY), Work.tasks(16_000));
        QueueSource<String> source =
                Kind.LIST.source(line.client(), KEY, DRAIN.batch(8_000).patience(SHORT));
        List<Delivery<String>> deliveries = new ArrayList<>(source.next());
        deliveries.addAll(source.next());
        line.cut();
        deliveries.forEach(delivery -> source.settled(new Outcome.Succeeded<>(delivery, 1, "done")));

        assertThatThrownBy(source::next)
                .isInstanceOf(QueueException.class)
                .hasMessageContaining("could not be told after 200 ms: queue=feeds, tasks=1");

        assertThat(catchThrowable(source::close)).isInstanceOf(QueueException.class);
        assertThat(source.account().unacknowledged()).isEqualTo(16_000);
    }
}
