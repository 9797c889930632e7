// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ListenerPairTest {

    private static EmbeddedRedis server;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private final RecordedCommands recorded = new RecordedCommands();
    private final RecordedCommands others = new RecordedCommands();

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private void setAndGet(CommandListener listener) {
        try (RedisClient client =
                clients.connect(WatchedClients.uri(server), options -> options.commandListener(listener))) {
            client.call(Strings.set("k", "v"));
            client.call(Strings.get("k"));
        }
    }

    @Test
    void eachListenerReceivesEachCommandWithItsOwnContext() {
        setAndGet(recorded.andThen(command -> assertThat(command.context()).isNull())
                .andThen(others));

        assertThat(recorded.ends()).hasSize(2);
        assertThat(others.ends()).hasSize(2);
        for (int i = 0; i < 2; i++) {
            RecordedCommands.End end = recorded.ends().get(i);
            RecordedCommands.End other = others.ends().get(i);
            assertThat(end.start())
                    .isSameAs(recorded.submitted.stream().toList().get(i));
            assertThat(other.start())
                    .isSameAs(others.submitted.stream().toList().get(i));
            assertThat(other)
                    .usingRecursiveComparison()
                    .ignoringFields("start", "thread", "outcome")
                    .isEqualTo(end);
        }
    }

    @Test
    void failureOfOneListenerDoesNotHideTheEndsFromTheOther() {
        AtomicInteger failures = new AtomicInteger();
        CommandListener failing = command -> {
            failures.incrementAndGet();
            throw new IllegalStateException("broken");
        };

        setAndGet(failing.andThen(recorded));

        assertThat(failures).hasValue(2);
        assertThat(recorded.ends()).hasSize(2);
    }

    @Test
    void listenerThatReceivesNothingIsLeftOut() {
        assertThat(recorded.andThen(CommandListener.NONE)).isSameAs(recorded);
        assertThat(CommandListener.NONE.andThen(recorded)).isSameAs(recorded);
    }
}
