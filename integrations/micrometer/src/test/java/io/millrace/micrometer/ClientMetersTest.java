// SPDX-License-Identifier: Apache-2.0
package io.millrace.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.micrometer.core.instrument.Tags;
import io.millrace.client.CommandCounts;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Strings;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.RefusalMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The meters of a client, read from the text of Prometheus. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ClientMetersTest {

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private final Scrape scrape = new Scrape();

    private long commands(String outcome) {
        return scrape.count("millrace_commands_total{client=\"millrace\",outcome=\"" + outcome + "\"}");
    }

    @Test
    void commandsAreCountedByOutcomeAsInTheStatsOfTheClient() {
        RedisClient client = SERVER.client(options -> options);
        new ClientMeters(client).bindTo(scrape.meters);

        client.call(Strings.set("text", "value"));
        Throwable wrongType = catchThrowable(() -> client.call(Lists.size("text")));
        SERVER.server().pause();
        Throwable timedOut =
                catchThrowable(() -> client.call(Strings.get("text").within(Duration.ofMillis(20))));
        long pendingLater = scrape.count("millrace_commands_pending{");
        long inFlight = scrape.count("millrace_commands_inflight{");
        long inFlightBytes = scrape.count("millrace_commands_inflight_bytes{");
        SERVER.server().resume();
        Eventually.is("the reply has arrived", 1L, () -> scrape.count("millrace_commands_late_total{"));

        assertThat(List.of(wrongType, timedOut)).doesNotContainNull();
        CommandCounts counts = client.counts();
        assertThat(commands("ok")).isEqualTo(counts.ok()).isPositive();
        assertThat(commands("error")).isEqualTo(counts.error()).isEqualTo(1);
        assertThat(commands("timed_out")).isEqualTo(counts.timedOut()).isEqualTo(1);
        assertThat(commands("refused")).isZero();
        assertThat(commands("lost")).isZero();
        assertThat(pendingLater).isZero();
        assertThat(inFlight).as("the slot of a command that has timed out").isEqualTo(1);
        assertThat(inFlightBytes).isPositive();
        assertThat(scrape.count("millrace_commands_inflight{")).isZero();
    }

    @Test
    void commandsWithoutAnOutcomeArePending() {
        RedisClient client = SERVER.client(options -> options.fusion(Fusion.NONE));
        new ClientMeters(client).bindTo(scrape.meters);
        client.call(Strings.set("text", "value"));
        List<CompletableFuture<Optional<String>>> replies = new ArrayList<>();

        SERVER.server().pause();
        try {
            IntStream.range(0, 3).forEach(i -> replies.add(client.send(Strings.get("text"))));
            Eventually.is("three commands wait", 3L, () -> scrape.count("millrace_commands_pending{"));
        } finally {
            SERVER.server().resume();
        }

        assertThat(replies).allSatisfy(reply -> assertThat(reply.join()).contains("value"));
        Eventually.is("no command waits", 0L, () -> scrape.count("millrace_commands_pending{"));
    }

    @Test
    void fusedCommandsAreCounted() {
        RedisClient client = SERVER.client(options -> options.fusion(Set.of(Fusion.GET)));
        new ClientMeters(client).bindTo(scrape.meters);

        Eventually.is("commands are fused", true, () -> {
            var pipeline = client.pipeline();
            IntStream.range(0, 100).forEach(i -> pipeline.add(Strings.get("key" + i)));
            var unused = pipeline.run();
            return scrape.count("millrace_commands_fused_total{") > 0;
        });

        assertThat(scrape.count("millrace_commands_fused_total{"))
                .isEqualTo(client.stats().fusion().commands());
    }

    @Test
    void lostConnectionsAndTheirReplacementsAreShown() {
        FaultProxy proxy = SERVER.closeAfterTest(
                FaultProxy.inFrontOf("127.0.0.1", SERVER.server().port()));
        RedisClient client = SERVER.closeAfterTest(
                RedisClient.connect(TestServer.options(proxy.port()).build()));
        new ClientMeters(client).bindTo(scrape.meters);
        assertThat(scrape.count("millrace_connections{client=\"millrace\",state=\"open\"}"))
                .isEqualTo(1);

        proxy.refuseConnections(RefusalMode.RESET);
        proxy.disconnectAll(ConnectionEnd.RESET);
        Eventually.is(
                "the connection is lost",
                1L,
                () -> scrape.count("millrace_connections{client=\"millrace\",state=\"lost\"}"));
        proxy.acceptConnections();

        Eventually.is("the replacement is counted", 1L, () -> scrape.count("millrace_reconnections_total{"));
        Eventually.is(
                "the connection is replaced",
                1L,
                () -> scrape.count("millrace_connections{client=\"millrace\",state=\"open\"}"));
        assertThat(scrape.count("millrace_connections{client=\"millrace\",state=\"lost\"}"))
                .isZero();
    }

    @Test
    void clientsOfOneRegistryDifferInTheirNamesAndTags() {
        RedisClient orders = SERVER.client(options -> options.name("orders"));
        RedisClient users = SERVER.client(options -> options.name("users"));

        new ClientMeters(orders).bindTo(scrape.meters);
        new ClientMeters(users, Tags.of("client", "ignored")).bindTo(scrape.meters);
        users.call(Strings.set("key", "value"));

        assertThat(scrape.count("millrace_commands_total{client=\"users\",outcome=\"ok\"}"))
                .isEqualTo(users.counts().ok());
        assertThat(scrape.count("millrace_commands_total{client=\"orders\",outcome=\"ok\"}"))
                .isEqualTo(orders.counts().ok());
    }

    @Test
    void closedMetersAreRemoved() {
        RedisClient client = SERVER.client(options -> options);
        ClientMeters meters = new ClientMeters(client, Tags.of("region", "north"));
        meters.bindTo(scrape.meters);
        assertThat(scrape.lines("millrace_")).hasSize(13).allMatch(line -> line.contains("region=\"north\""));

        meters.close();

        assertThat(scrape.lines("millrace_")).isEmpty();
        assertThat(client.isOpen()).isTrue();
    }
}
