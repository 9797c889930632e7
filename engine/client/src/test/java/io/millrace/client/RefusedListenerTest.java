// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Fusion;
import io.millrace.client.command.Strings;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests what a command listener receives about commands that the server has temporarily refused. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class RefusedListenerTest {

    /** More commands than the first batch of a pipeline has. */
    private static final int COMMANDS = 100;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    /** Keys whose first command the server has refused. */
    private final Set<String> refusedKeys = ConcurrentHashMap.newKeySet();

    private final AtomicInteger refusals = new AtomicInteger();

    private final FakeRedis server = FakeRedis.start(
            Handler.afterHandshake(command -> Answer.reply(isRefused(command) ? "-LOADING later\r\n" : "+OK\r\n")));

    private final ConcurrentLinkedQueue<EndedCommand.Kind> ends = new ConcurrentLinkedQueue<>();

    /** The first command of each key of a pipeline is refused, and as many other commands as {@link #refusals} says. */
    private boolean isRefused(ReceivedCommand command) {
        return refusals.getAndDecrement() > 0
                || (command.text(1).startsWith("once:") && refusedKeys.add(command.text(1)));
    }

    private RedisClient connect(Duration timeout) {
        CommandListener listener = new CommandListener() {
            @Override
            public void ended(EndedCommand command) {
                ends.add(command.kind());
            }
        };
        return clients.connect(
                WatchedClients.uri(server),
                options -> options.commandListener(listener)
                        .commandTimeout(timeout)
                        .fusion(Fusion.NONE));
    }

    private void runPipeline(RedisClient client) {
        Pipeline pipeline = client.pipeline();
        for (int i = 0; i < COMMANDS; i++) {
            pipeline.add(Strings.set("once:" + i, "v"));
        }
        pipeline.run();
    }

    @Test
    void listenerReceivesTheLastOutcomeOfEachCommandOfARefusedPipelineOnce() {
        try (server;
                RedisClient client = connect(WatchedClients.TIMEOUT)) {
            runPipeline(client);

            assertThat(client.stats().connections().getFirst().retries()).isEqualTo(COMMANDS);
            assertThat(ends).hasSize(COMMANDS).containsOnly(EndedCommand.Kind.OK);
        }
    }

    @Test
    void listenerReceivesTheErrorOfAPipelineThatIsRefusedUntilItsDeadline() {
        try (server;
                RedisClient client = connect(Duration.ofMillis(300))) {
            refusals.set(Integer.MAX_VALUE);

            runPipeline(client);

            assertThat(ends).hasSize(COMMANDS).doesNotContain(EndedCommand.Kind.INTERRUPTED, EndedCommand.Kind.OK);
        }
    }

    @Test
    void listenerReceivesTheLastOutcomeOfARefusedCallOnce() {
        try (server;
                RedisClient client = connect(WatchedClients.TIMEOUT)) {
            refusals.set(3);
            client.call(Strings.set("k", "v"));
            refusals.set(3);
            client.send(Strings.set("k", "v")).join();

            assertThat(ends).containsExactly(EndedCommand.Kind.OK, EndedCommand.Kind.OK);
        }
    }
}
