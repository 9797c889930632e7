// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Command;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.resp.Reply;
import io.millrace.testkit.Answer;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Fused commands whose slot moves. All keys have the hash slot 3,300, which belongs to the first of two nodes. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ClusterFusedCallsTest {

    /** A key with more bytes than all buffers between a client and a server on loopback hold. Its hash slot is 0. */
    private static final byte[] BLOCKING_KEY = new byte[16 << 20];

    private static final String K1 = "{b}1";
    private static final String K2 = "{b}2";
    private static final String K3 = "{b}3";

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private FakeCluster cluster;
    private RedisClient client;

    @BeforeEach
    void connect() {
        cluster = FakeCluster.start(2);
        client = clients.connect(cluster.uri(), options -> options.inFlightBytes(128L << 20));
    }

    @AfterEach
    void close() {
        client.close();
        cluster.close();
    }

    /** All commands of {@code submit} wait in the queue of the first node until it reads again. */
    private void together(Runnable submit) {
        cluster.node(0).stopReading();
        CompletableFuture<Reply> blocking = client.send(Command.of("STRLEN", BLOCKING_KEY));
        submit.run();
        cluster.node(0).resumeReading();
        blocking.join();
    }

    private List<String> lines(int node) {
        return cluster.lines(node).stream()
                .filter(line -> !line.startsWith("STRLEN"))
                .toList();
    }

    private List<CompletableFuture<String>> setTogether(String... keysAndValues) {
        List<CompletableFuture<String>> all = new ArrayList<>();
        together(() -> {
            for (int i = 0; i < keysAndValues.length; i += 2) {
                all.add(client.send(Strings.set(keysAndValues[i], keysAndValues[i + 1])));
            }
        });
        return all;
    }

    @Test
    void refusedFusedCommandIsSentAgainAsSingleCommandsInTheirOrder() {
        cluster.answer(
                0,
                command -> Answer.reply(
                        command.name().equals("MSET")
                                ? "-TRYAGAIN Multiple keys request during rehashing\r\n"
                                : "+OK\r\n"));

        List<CompletableFuture<String>> set = setTogether(K1, "1", K2, "1");

        assertThat(set).allSatisfy(reply -> assertThat(reply.join()).isEqualTo("OK"));
        assertThat(lines(0)).containsExactly("MSET {b}1 1 {b}2 1", "SET {b}1 1", "SET {b}2 1");
        assertThat(client.counts().error()).isZero();
    }

    @Test
    void refusedCommandKeepsItsErrorIfALaterCommandOfItsKeyWasExecuted() {
        cluster.answer(
                0,
                command -> Answer.reply(
                        command.name().equals("MSET")
                                ? "-TRYAGAIN Multiple keys request during rehashing\r\n"
                                : "+OK\r\n"));

        List<CompletableFuture<?>> set = new ArrayList<>();
        together(() -> {
            set.add(client.send(Strings.set(K1, "1")));
            set.add(client.send(Strings.set(K2, "1")));
            set.add(client.send(Command.of("SETRANGE", K2, "0", "2")));
        });

        assertThat(set.get(0).join()).isEqualTo("OK");
        assertThatThrownBy(set.get(1)::join)
                .hasCauseInstanceOf(ErrorReplyException.class)
                .hasMessageContaining("TRYAGAIN");
        assertThat(set.get(2).join()).isEqualTo(Reply.OK);
        assertThat(lines(0)).containsExactly("MSET {b}1 1 {b}2 1", "SETRANGE {b}2 0 2", "SET {b}1 1");
    }

    @Test
    void memberOfAFusedCommandDoesNotFollowAsk() {
        cluster.answer(
                0,
                command -> command.name().equals("MSET") || command.line().contains(K1)
                        ? cluster.redirect("ASK", K1, 1)
                        : Answer.reply("+OK\r\n"));

        List<CompletableFuture<String>> set = setTogether(K1, "1", K2, "1");

        assertThat(set).allSatisfy(reply -> assertThat(reply.join()).isEqualTo("OK"));
        assertThat(lines(0)).containsExactly("MSET {b}1 1 {b}2 1", "SET {b}1 1", "SET {b}2 1");
        assertThat(lines(1)).containsExactly("ASKING", "SET {b}1 1");
    }

    @Test
    void commandsOfASlotThatMovesAreNotFused() {
        cluster.answer(
                0, command -> command.line().contains(K1) ? cluster.redirect("ASK", K1, 1) : Answer.reply("+OK\r\n"));
        assertThat(client.call(Strings.set(K1, "0"))).isEqualTo("OK");

        List<CompletableFuture<String>> set = setTogether(K2, "1", K3, "1");

        assertThat(set).allSatisfy(reply -> assertThat(reply.join()).isEqualTo("OK"));
        assertThat(lines(0)).containsExactly("SET {b}1 0", "SET {b}2 1", "SET {b}3 1");
    }
}
