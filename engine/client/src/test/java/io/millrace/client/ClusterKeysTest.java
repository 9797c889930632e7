// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.resp.Reply;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Compares the hash slots of commands with a node of a cluster. */
class ClusterKeysTest {

    private static final List<CommandLine> LINES_WITH_SEVERAL_KEYS =
            CommandLine.all().stream().filter(line -> line.keys().size() > 1).toList();

    private static EmbeddedRedis node;
    private static RawConnection connection;

    @BeforeAll
    static void startNode() {
        node = ClusterNode.start();
        connection = RawConnection.open(node.host(), node.port(), 2);
        connection.run(Command.of("CLUSTER ADDSLOTSRANGE", 0, KeySlot.COUNT - 1).as(Replies::text));
    }

    @AfterAll
    static void stopNode() {
        connection.close();
        node.close();
    }

    @Test
    void commandThatANodeRefusesBecauseOfItsHashSlotsIsAlsoRefusedByTheClient() {
        int refused = 0;
        for (CommandLine line : LINES_WITH_SEVERAL_KEYS) {
            Command<Reply> command = line.command();

            assertThatThrownBy(command::hashSlot).isInstanceOf(IllegalArgumentException.class);
            Reply reply = connection.reply(command);
            assertThat(reply).as("%s", line).isInstanceOf(Reply.ErrorReply.class);
            String message = ((Reply.ErrorReply) reply).message();
            assertThat(message).as("%s", line).matches("CROSSSLOT .*|ERR unknown command .*");
            refused += message.startsWith("CROSSSLOT") ? 1 : 0;
        }

        assertThat(refused).isGreaterThan(50);
    }

    @Test
    void commandWhoseKeysHaveTheSameHashTagHasTheHashSlotOfTheTag() {
        assertThat(LINES_WITH_SEVERAL_KEYS)
                .allSatisfy(line ->
                        assertThat(line.tagged("foo").command().hashSlot()).isEqualTo(12_182));
    }

    @Test
    void nodeFindsTheDestinationOfAMergeWithoutSources() {
        Command<Reply> command = Command.of("PFMERGE", "foo");
        connection.run(Command.of("CLUSTER DELSLOTS", command.hashSlot()).as(Replies::text));

        Reply reply = connection.reply(command);

        connection.run(Command.of("CLUSTER ADDSLOTS", command.hashSlot()).as(Replies::text));
        assertThat(reply).isEqualTo(new Reply.ErrorReply("CLUSTERDOWN Hash slot not served"));
    }

    @Test
    void nodeReportsTheSameHashSlotForEachKey() {
        for (CommandLine line : CommandLine.all()) {
            if (line.keys().size() == 1) {
                String key = line.keys().getFirst();

                long expected =
                        connection.run(Command.of("CLUSTER KEYSLOT", key).as(Replies::integer));

                assertThat(line.command().hashSlot()).as("%s", line).isEqualTo((int) expected);
            }
        }
    }
}
