// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.BulkOptions;
import io.millrace.client.ClientOptions;
import io.millrace.client.Outcome;
import io.millrace.client.RedisUri;
import io.millrace.client.ReplyLimits;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Server;
import io.millrace.client.internal.connect.HandshakeResult;
import io.millrace.client.internal.connect.Login;
import io.millrace.client.internal.connect.ServerRole;
import io.millrace.client.internal.fusion.FusibleKinds;
import io.millrace.client.internal.fusion.FusionDecision;
import io.millrace.client.internal.io.MemoryRedis;
import io.millrace.client.internal.time.Timekeeper;
import io.millrace.testkit.interleave.InterleavingScenario;
import io.millrace.testkit.interleave.Schedule;
import io.millrace.testkit.interleave.Schedules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs the threads of a bulk connection in thousands of schedules: owner, writer, reader and timekeeper. A schedule is a
 * random interleaving of the threads, generated from a seed.
 */
class BulkInterleavingTest {

    private static final int SCHEDULES = Integer.getInteger("millrace.schedules", 600);
    private static final int COMMANDS = 10;

    @ParameterizedTest
    @ValueSource(classes = {WideWindow.class, NarrowWindow.class})
    void everyCommandIsAnsweredLongBeforeItsTimeout(Class<? extends InterleavingScenario> scenario) {
        explore(scenario);
    }

    @Test
    void everyCommandHasOneOutcomeIfTheConnectionIsLost() {
        explore(LostConnection.class);
    }

    private static void explore(Class<? extends InterleavingScenario> scenario) {
        Schedules.of(scenario)
                .instrumenting("io.millrace.client.internal")
                .withoutPlainAccess()
                .withSteadyTime()
                .explore(SCHEDULES);
    }

    static class WideWindow implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            assertThat(outcomes(schedule, 100, Integer.MAX_VALUE))
                    .hasSize(COMMANDS)
                    .allMatch(Outcome.Ok.class::isInstance);
            assertThat(schedule.elapsed()).isLessThan(Duration.ofSeconds(1));
        }
    }

    /** The owner often waits for permits, and the writer waits for the server. */
    static class NarrowWindow implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            assertThat(outcomes(schedule, 2, Integer.MAX_VALUE))
                    .hasSize(COMMANDS)
                    .allMatch(Outcome.Ok.class::isInstance);
            assertThat(schedule.elapsed()).isLessThan(Duration.ofSeconds(1));
        }
    }

    static class LostConnection implements InterleavingScenario {
        @Override
        public void run(Schedule schedule) {
            List<Outcome> outcomes = outcomes(schedule, 3, schedule.random().nextInt(COMMANDS + 1));

            assertThat(outcomes)
                    .hasSize(COMMANDS)
                    .allMatch(outcome -> outcome instanceof Outcome.Ok || outcome instanceof Outcome.Lost);
            assertThat(schedule.elapsed()).isLessThan(Duration.ofSeconds(1));
            schedule.outcome(
                    outcomes.stream().filter(Outcome.Ok.class::isInstance).count() + " answered");
        }
    }

    /** Writes ten commands over a connection that the server closes after {@code executed} commands. */
    private static List<Outcome> outcomes(Schedule schedule, int inFlight, int executed) {
        List<Outcome> outcomes = new ArrayList<>();
        MemoryRedis server = MemoryRedis.blockingClosingAfter(
                executed, schedule, schedule.random().nextInt(20, 80));
        ClientOptions options = ClientOptions.of(RedisUri.of("localhost", 6379));
        // The lambda calls the clock of the schedule; a method reference would call the clock of the JDK.
        Timekeeper timekeeper = new Timekeeper(() -> System.nanoTime());
        BulkConnection writer = new BulkConnection(
                new HandshakeResult(server, FusionDecision.NONE, true, 0, ServerRole.PRIMARY, null),
                new Login(options),
                "localhost:6379",
                new FusibleKinds(FusionDecision.NONE, new FusibleKinds.RefusedKinds(), BulkConnection.NAME),
                timekeeper,
                ReplyLimits.DEFAULT,
                new BulkOptions(inFlight, 1 << 20, Duration.ofMinutes(1), Fusion.NONE),
                (tag, command, outcome) -> {
                    assertThat(tag).isEqualTo(outcomes.size());
                    outcomes.add(outcome);
                },
                closed -> {});
        for (int tag = 0; tag < COMMANDS; tag++) {
            writer.begin(Server.ECHO).arg("row-" + tag).end(tag);
        }
        writer.finish();
        writer.close();
        timekeeper.close();
        schedule.join();
        assertThat(server.executed()).isGreaterThanOrEqualTo((int)
                outcomes.stream().filter(Outcome.Ok.class::isInstance).count());
        return outcomes;
    }
}
