// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Replies;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.LoadReport.Verified;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Loads and verifications that wait for a real server, which is blocked by a script or has ended a connection. */
@ExtendWith(NoThreadLeft.class)
class BusyServerTest {

    private static final Target TARGET = StringTarget.of("k:{id}", "name");
    private static final int ROWS = 10_000;

    @Test
    void rowsWaitUntilAScriptHasEnded() {
        try (BusyServer server = new BusyServer()) {
            RowSource blocking = TestRows.of((row, opening, id) -> {
                if (id == 5_000) {
                    server.block();
                }
                return id < ROWS && TestRows.fill(row, id, "Customer " + id);
            });

            LoadReport report = server.loadUntilRefused(
                    new LoadPlan(blocking, TARGET, with(o -> o.patience(Duration.ofMinutes(5)))));

            assertThat(report.ending()).isEqualTo(new Ending.Completed());
            assertThat(report.rows()).isEqualTo(new RowCounts(ROWS, ROWS, 0, 0, 0));
            assertThat(report.commands().error()).as("rows that were refused").isPositive();
            assertThat(Replies.integer(server.call("DBSIZE"))).isEqualTo(ROWS);
        }
    }

    @Test
    void verificationWaitsUntilAScriptHasEnded() {
        try (BusyServer server = new BusyServer()) {
            // Each key has two rows. Only the second row equals the value in Redis.
            RowSource blocking = TestRows.of((row, opening, id) -> {
                if (opening == 2 && id == 5_000) {
                    server.block();
                }
                return id < ROWS && TestRows.fill(row, id / 2, "Customer " + id);
            });

            LoadReport report = server.loadUntilRefused(new LoadPlan(
                    blocking,
                    TARGET,
                    with(o -> o.patience(Duration.ofMinutes(5)).verify(Verification.FULL))));

            assertThat(report.ending()).isEqualTo(new Ending.Completed());
            assertThat(report.verified()).contains(new Verified(ROWS, 0));
        }
    }

    @Test
    void verificationEndsWhenItsPatienceIsUsedUp() {
        try (BusyServer server = new BusyServer()) {
            RowSource blocking = TestRows.of((row, opening, id) -> {
                if (opening == 2 && id == 50) {
                    server.block();
                }
                return id < 100 && TestRows.fill(row, id, "x");
            });

            LoadReport report = new Loader(server.options())
                    .run(
                            new LoadPlan(
                                    blocking,
                                    TARGET,
                                    with(o -> o.patience(Duration.ofMillis(100)).verify(Verification.FULL))),
                            event -> {});
            server.release();

            assertThat(report.ending()).isInstanceOf(Ending.Unverified.class);
            assertThat(report.ending().reason().orElseThrow())
                    .startsWith("verification ended early: BUSY ")
                    .contains("The loader has waited ")
                    .endsWith("Verify again when the server accepts commands.");
        }
    }

    @Test
    void verificationContinuesAfterALostConnection() {
        try (TestRedis server = TestRedis.start()) {
            RowSource disconnecting = TestRows.of((row, opening, id) -> {
                if (opening == 2 && id == 5_000) {
                    server.call("CLIENT KILL", "TYPE", "normal", "SKIPME", "yes");
                }
                return id < ROWS && TestRows.fill(row, id / 2, "Customer " + id);
            });

            LoadReport report = new Loader(server.options())
                    .run(new LoadPlan(disconnecting, TARGET, with(o -> o.verify(Verification.FULL))), event -> {});

            assertThat(report.ending()).isEqualTo(new Ending.Completed());
            assertThat(report.verified()).contains(new Verified(ROWS, 0));
        }
    }

    private static LoadOptions with(UnaryOperator<LoadOptions.Builder> change) {
        return change.apply(LoadOptions.builder().inFlight(256)).build();
    }
}
