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
import io.millrace.testkit.NoThreadLeft;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

@ExtendWith(NoThreadLeft.class)
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RecoveryRoundsTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets the field
    private Path folder;

    /** Opens a connection for each command, so the adapter recovers at once. */
    private static class NewConnections implements ClientAdapter {

        private Target target = Target.of("127.0.0.1", 1);

        @Override
        public void open(Target newTarget) {
            target = newTarget;
        }

        @Override
        public Object call(Operation operation) {
            try (var jedis = new Jedis(target.host(), target.port())) {
                return execute(jedis, operation.key());
            }
        }

        Object execute(Jedis jedis, String key) {
            return jedis.incr(key);
        }

        @Override
        public CompletionStage<Object> send(Operation operation) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<Object> batch(List<Operation> operations) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }

    private RoundDetails run(Fault fault, ClientAdapter adapter) throws Exception {
        var mode = new UsageMode("test", "", Set.of(Capability.CALL), () -> adapter);
        var library = new ClientLibrary("test", "", List.of(mode));
        var work = new RecoveryWork(
                library, mode, fault, 4, 100, Duration.ofMillis(300), Duration.ofMillis(900), Duration.ofSeconds(5));
        var target = Target.of("127.0.0.1", 1);
        try (var rounds = work.open(new WorkContext(target, target, Parameters.DEFAULT, folder))) {
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
        RoundDetails details = run(fault, new NewConnections());

        assertThat(details.complaints()).isEmpty();
        assertThat(details.remark()).isEmpty();
        assertThat(details.figures()).containsEntry("executedTwice", 0.0);
        if (fault != Fault.FAILOVER) {
            assertThat(details.figures()).containsEntry("lost", 0.0);
        }
    }

    @Test
    void clientThatInventsRepliesIsFound() throws Exception {
        var inventing = new NewConnections() {
            @Override
            Object execute(Jedis jedis, String key) {
                return 1L;
            }
        };

        RoundDetails details = run(Fault.CUT, inventing);

        assertThat(details.figures().get("lost")).isPositive();
    }

    @Test
    void clientThatRepeatsCommandsIsFound() throws Exception {
        var repeating = new NewConnections() {
            @Override
            Object execute(Jedis jedis, String key) {
                jedis.incr(key);
                return jedis.incr(key);
            }
        };

        RoundDetails details = run(Fault.CUT, repeating);

        assertThat(details.figures().get("executedTwice")).isPositive();
    }

    @Test
    void wrongReplyIsAComplaint() throws Exception {
        var wrong = new NewConnections() {
            @Override
            Object execute(Jedis jedis, String key) {
                return "OK";
            }
        };

        RoundDetails details = run(Fault.CUT, wrong);

        assertThat(details.complaints()).contains("wrong reply to INCR: reply=OK");
    }
}
