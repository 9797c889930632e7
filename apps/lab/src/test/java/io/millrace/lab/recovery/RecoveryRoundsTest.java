// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.client.ClientLibrary;
import io.millrace.lab.client.Operation;
import io.millrace.lab.client.Target;
import io.millrace.lab.client.UsageMode;
import io.millrace.lab.client.UsageMode.Capability;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.recovery.FaultyServer.Fault;
import io.millrace.testkit.NoThreadLeft;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;

@ExtendWith(NoThreadLeft.class)
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RecoveryRoundsTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int WARM_UP_CALLS = 100;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets the field
    private Path folder;

    /** Opens a connection for each command, so the adapter recovers at once. */
    private static final class NewConnections implements ClientAdapter {

        private final BiFunction<Jedis, String, Object> command;
        private Target target = Target.of("127.0.0.1", 1);

        NewConnections(BiFunction<Jedis, String, Object> command) {
            this.command = command;
        }

        @Override
        public void open(Target newTarget) {
            target = newTarget;
        }

        @Override
        public Object call(Operation operation) {
            try (var jedis = new Jedis(target.host(), target.port())) {
                return command.apply(jedis, operation.key());
            }
        }

        @Override
        public void close() {}
    }

    private RoundDetails run(Fault fault, Duration limit, BiFunction<Jedis, String, Object> command) throws Exception {
        var mode = new UsageMode("test", "", Set.of(Capability.CALL), () -> new NewConnections(command));
        var plan = new RecoveryRounds.Plan(
                new ClientLibrary("test", "", List.of(mode)),
                mode,
                fault,
                100,
                Duration.ofMillis(300),
                limit,
                Duration.ofMillis(300));
        var target = Target.of("127.0.0.1", 1);
        try (var rounds = plan.open(new WorkContext(target, target, Parameters.DEFAULT, folder))) {
            rounds.prepare();
            long operations = rounds.run();
            RoundDetails details = rounds.details();
            assertThat(details.outcomes().orElseThrow().ok())
                    .isEqualTo(operations)
                    .isPositive();
            return details;
        }
    }

    @ParameterizedTest
    @EnumSource
    void clientThatConnectsAgainRecovers(Fault fault) throws Exception {
        RoundDetails details = run(fault, LONG, Jedis::incr);

        // A busy machine may not reach the rate. Then the lab drops the round, rightly.
        assertThat(details.complaints())
                .allSatisfy(
                        complaint -> assertThat(complaint).startsWith("too few commands succeeded before the fault"));
        assertThat(details.remark()).isEmpty();
        assertThat(details.figures()).containsEntry("executedTwice", 0.0);
        if (fault != Fault.FAILOVER) {
            assertThat(details.figures()).containsEntry("lost", 0.0);
        }
    }

    @Test
    void clientThatDoesNotRecoverIsNamedWithTheTimeLimit() throws Exception {
        var calls = new AtomicInteger();

        RoundDetails details = run(Fault.CUT, Duration.ofSeconds(1), (jedis, key) -> {
            if (calls.incrementAndGet() > WARM_UP_CALLS + 4) {
                throw new JedisConnectionException("lost");
            }
            return jedis.incr(key);
        });

        assertThat(details.remark().orElseThrow()).startsWith("The client did not recover within 1 s");
        assertThat(details.figures().get("recoverySeconds")).isGreaterThanOrEqualTo(1.0);
        assertThat(details.complaints()).singleElement().asString().startsWith("too few commands succeeded");
    }

    @Test
    void clientThatInventsRepliesIsFound() throws Exception {
        RoundDetails details = run(Fault.CUT, LONG, (jedis, key) -> 1L);

        assertThat(details.figures().get("lost")).isPositive();
    }

    @Test
    void clientThatRepeatsCommandsIsFound() throws Exception {
        RoundDetails details = run(Fault.CUT, LONG, (jedis, key) -> jedis.incr(key) + jedis.incr(key));

        assertThat(details.figures().get("executedTwice")).isPositive();
    }

    @Test
    void wrongReplyIsAComplaint() throws Exception {
        RoundDetails details = run(Fault.CUT, LONG, (jedis, key) -> "OK");

        assertThat(details.complaints()).contains("wrong reply to INCR: reply=OK");
    }
}
