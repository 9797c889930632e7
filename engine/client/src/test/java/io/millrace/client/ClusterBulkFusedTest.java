// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Strings;
import io.millrace.resp.Reply;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A bulk writer whose slot moves. All keys have the hash slot 3,300, which belongs to the first of two nodes. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterBulkFusedTest {

    private static final String TRY_AGAIN = "TRYAGAIN Multiple keys request during rehashing of slot";
    private static final Outcome OK = new Outcome.Ok(Reply.OK);
    private static final String K1 = "{b}1";
    private static final String K2 = "{b}2";

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private final BulkRecorder recorder = new BulkRecorder();
    private FakeCluster cluster;
    private RedisClient client;

    @BeforeEach
    void connect() {
        cluster = FakeCluster.start(2);
        client = clients.connect(cluster.uri());
    }

    @AfterEach
    void close() {
        client.close();
        cluster.close();
    }

    private void refuseFusedCommands() {
        cluster.answer(
                0, command -> Answer.reply(command.name().equals("MSET") ? "-" + TRY_AGAIN + "\r\n" : "+OK\r\n"));
    }

    @Test
    void refusedFusedCommandIsSentAgainAsSingleCommands() {
        refuseFusedCommands();

        try (BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, recorder)) {
            writer.begin(Strings.SET).arg(K1).arg("1").end(0);
            writer.begin(Strings.SET).arg(K2).arg("1").end(1);
            writer.finish();
        }

        assertThat(recorder.outcomes).containsEntry(0L, OK).containsEntry(1L, OK);
        assertThat(cluster.lines(0)).containsExactly("MSET {b}1 1 {b}2 1", "SET {b}1 1", "SET {b}2 1");
    }

    @Test
    void refusedCommandKeepsItsErrorIfALaterCommandOfItsKeyWasExecuted() {
        refuseFusedCommands();

        try (BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, recorder)) {
            writer.begin(Strings.SET).arg(K1).arg("1").end(0);
            writer.begin(Strings.SET).arg(K2).arg("1").end(1);
            writer.begin(Strings.SETRANGE).arg(K2).arg(0).arg("2").end(2);
            writer.finish();

            assertThat(writer.counts()).isEqualTo(new CommandCounts(3, 2, 1, 0, 0, 0, 0));
            assertThat(client.counts()).isEqualTo(writer.counts());
        }

        assertThat(recorder.outcomes)
                .containsEntry(0L, OK)
                .containsEntry(1L, new Outcome.Failed(new Reply.ErrorReply(TRY_AGAIN, true)))
                .containsEntry(2L, OK);
        assertThat(cluster.lines(0)).containsExactly("MSET {b}1 1 {b}2 1", "SETRANGE {b}2 0 2", "SET {b}1 1");
    }

    @Test
    void memberOfAFusedCommandDoesNotFollowAsk() {
        cluster.answer(
                0,
                command -> command.name().equals("MSET") || command.line().contains(K1)
                        ? cluster.redirect("ASK", K1, 1)
                        : Answer.reply("+OK\r\n"));

        try (BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, recorder)) {
            writer.begin(Strings.SET).arg(K1).arg("1").end(0);
            writer.begin(Strings.SET).arg(K2).arg("1").end(1);
            writer.finish();
        }

        assertThat(recorder.outcomes).containsEntry(0L, OK).containsEntry(1L, OK);
        assertThat(cluster.lines(0)).containsExactly("MSET {b}1 1 {b}2 1", "SET {b}1 1", "SET {b}2 1");
        assertThat(cluster.lines(1)).containsExactly("ASKING", "SET {b}1 1");
    }

    /** The second command waits for the first one, which has no reply, and both have nearly the same deadline. */
    @Test
    void finishReturnsIfTheNewOwnerRefusesConnections() {
        BulkOptions options = new BulkOptions(16, 1 << 20, Duration.ofSeconds(2));
        cluster.answer(
                0, command -> command.name().equals("SET") ? Answer.noReply() : cluster.redirect("MOVED", K1, 1));
        try (BulkWriter writer = client.bulkWriter(options, recorder)) {
            writer.begin(Strings.SET).arg(K1).arg("1").end(0);
            writer.flush();
            cluster.assign(1, 1);
            Eventually.await("the client knows the new owner", () -> {
                int asked = cluster.lines(0).size();
                client.call(Strings.get(K1));
                return cluster.lines(0).size() == asked;
            });
            writer.begin(Strings.SET).arg(K2).arg("1").end(1);
            long deadline = System.nanoTime() + options.timeout().toNanos();
            cluster.node(1).close();
            Eventually.await("the deadline has passed", () -> System.nanoTime() - deadline > 0);
            writer.finish();
        }

        assertThat(recorder.outcomes.get(0L)).isEqualTo(new Outcome.TimedOut());
        assertThat(recorder.outcomes.get(1L)).isInstanceOfAny(Outcome.TimedOut.class, Outcome.Lost.class);
    }

    @Test
    void writerEndsWithTheReasonIfANewOwnerRefusesTheLogin() {
        BulkOptions options = new BulkOptions(16, 1 << 20, Duration.ofMillis(500));
        try (FakeRedis refusing = FakeRedis.start(command -> Answer.reply("-WRONGPASS invalid password\r\n"))) {
            cluster.assign(0, 0);
            client.close();
            client = clients.connect(cluster.uri());
            cluster.answer(0, command -> FakeCluster.redirectToPort("MOVED", "foo", refusing.port()));
            try (BulkWriter writer = client.bulkWriter(options, recorder)) {
                cluster.assignSecondHalfTo(refusing);
                assertThatThrownBy(() -> client.call(Strings.get("foo"))).hasMessageContaining("WRONGPASS");

                writer.begin(Strings.SET).arg("foo").arg("1").end(0);
                writer.begin(Strings.SET).arg("foo").arg("2").end(1);
                writer.finish();

                assertThat(writer.counts()).isEqualTo(new CommandCounts(2, 0, 0, 0, 0, 2, 0));
                assertThat(writer.isOpen()).isFalse();
            }
        }

        assertThat(recorder.outcomes.values())
                .allSatisfy(outcome -> assertThat(outcome).isInstanceOfSatisfying(Outcome.Lost.class, lost -> {
                    assertThat(lost.maybeExecuted()).isFalse();
                    assertThat(lost.cause()).contains("WRONGPASS");
                }));
    }

    /** The method begin() drops the command that was not ended. */
    @Test
    void argumentsOutsideOfACommandDoNotChangeTheNextCommand() {
        try (BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, recorder)) {
            writer.begin(Strings.SET).arg(K1).arg("v".repeat(500)).end(0);
            writer.arg("x".repeat(600));
            writer.begin(Strings.SET).arg(K2);
            writer.begin(Strings.SETRANGE).arg(K2).arg(Long.MIN_VALUE).arg("").end(1);
            writer.finish();
        }

        assertThat(cluster.lines(0))
                .containsExactly("SET {b}1 " + "v".repeat(500), "SETRANGE {b}2 " + Long.MIN_VALUE + " ");
    }
}
