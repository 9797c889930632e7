// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.command.Fusion;
import io.millrace.client.command.Strings;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class BulkCloseTest {

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void listenerThatThrowsDuringCloseReceivesEveryOutcome(boolean fused) {
        List<Long> told = new ArrayList<>();
        BulkListener listener = (tag, command, outcome) -> {
            told.add(tag);
            throw new IllegalStateException("listener failure " + tag);
        };
        BulkOptions options =
                new BulkOptions(64, 1 << 20, WatchedClients.TIMEOUT, fused ? Set.of(Fusion.SET) : Fusion.NONE);
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(
                        command -> command.arguments().size() > 2 ? Answer.noReply() : FusionReplies.to(command)));
                RedisClient client = clients.connect(WatchedClients.uri(server))) {
            BulkWriter writer = client.bulkWriter(options, listener);
            for (int i = 0; i < 3; i++) {
                writer.begin(Strings.SET).arg("k" + i).arg("v");
                writer.end(i);
            }

            Throwable failure = catchThrowable(writer::close);

            assertThat(failure).hasMessage("listener failure 0");
            assertThat(failure.getSuppressed())
                    .extracting(Throwable::getMessage)
                    .containsExactly("listener failure 1", "listener failure 2");
            assertThat(told).containsExactly(0L, 1L, 2L);
            assertThat(writer.counts()).isEqualTo(new CommandCounts(3, 0, 0, 0, 0, 3, 0));
            assertThat(client.stats().connections())
                    .as("only the shared connection")
                    .hasSize(1);
            assertThat(client.counts()).isEqualTo(writer.counts());
        }
    }
}
