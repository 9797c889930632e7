// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Replies;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.LoadReport.Verified;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

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

    /** Before the first row, the load sends commands that the client would repeat for five minutes. */
    @Test
    @Timeout(60)
    void loadThatFindsABusyServerWaitsAsLongAsItsPatience() {
        try (BusyServer server = new BusyServer()) {
            server.block();
            Loader loader = new Loader(server.patientOptions());
            LoadPlan plan = new LoadPlan(
                    TestRows.count(10),
                    TARGET,
                    with(o -> o.patience(Duration.ofMillis(100)).timeout(Duration.ofMinutes(5))));

            // The last attempt is refused, or has no reply in time.
            assertThatThrownBy(() -> loader.run(plan, event -> {}))
                    .isInstanceOfAny(ErrorReplyException.class, TimedOutException.class)
                    .hasMessageStartingWith("INFO ");
            assertThatThrownBy(() -> loader.verify(verifying(plan), event -> {}))
                    .isInstanceOfAny(ErrorReplyException.class, TimedOutException.class)
                    .hasMessageStartingWith("INFO ");
            server.release();
        }
    }

    @Test
    @Timeout(60)
    void stopEndsTheWaitForAServerThatIsBusyBeforeTheFirstRow() {
        try (BusyServer server = new BusyServer()) {
            Loader loader = new Loader(server.patientOptions());
            RowSource stopping = TestRows.recorded(TestRows.count(10), event -> {
                if (event.equals("open")) {
                    server.block();
                    Thread.ofVirtual().start(() -> {
                        server.awaitConnection();
                        loader.stop();
                    });
                }
            });

            LoadReport report = loader.run(
                    new LoadPlan(
                            stopping,
                            TARGET,
                            with(o -> o.patience(Duration.ofMinutes(5)).timeout(Duration.ofMinutes(5)))),
                    event -> {});
            server.release();

            assertThat(report.ending()).isEqualTo(new Ending.Interrupted());
            assertThat(report.rows()).isEqualTo(new RowCounts(0, 0, 0, 0, 0));
        }
    }

    static Stream<LoadPlan> plansWithFurtherCommandsBeforeTheFirstRow() {
        UnaryOperator<LoadOptions.Builder> patient =
                o -> o.patience(Duration.ofMinutes(5)).timeout(Duration.ofMinutes(5));
        return Stream.of(
                new LoadPlan(
                        TestRows.count(10), TARGET, with(o -> patient.apply(o).reload(new Reload("job", true, false)))),
                new LoadPlan(TestRows.count(10), HashTarget.of("k:{id}").withTtl(Duration.ofHours(1)), with(patient)));
    }

    /** The first commands of the load have their replies. The lock of a job and the limits of hashes follow. */
    @ParameterizedTest
    @MethodSource("plansWithFurtherCommandsBeforeTheFirstRow")
    @Timeout(60)
    void stopEndsTheWaitForAServerThatIsBusyAfterTheFirstCommands(LoadPlan plan) {
        try (BusyServer server = new BusyServer()) {
            Loader loader = new Loader(server.patientOptions());

            LoadReport report = loader.run(plan, event -> {
                if (event instanceof LoadEvent.Started) {
                    server.block();
                    Thread.ofVirtual().start(loader::stop);
                }
            });
            server.release();

            assertThat(report.ending()).isEqualTo(new Ending.Interrupted());
            assertThat(report.rows()).isEqualTo(new RowCounts(0, 0, 0, 0, 0));
        }
    }

    private static LoadPlan verifying(LoadPlan plan) {
        return new LoadPlan(
                plan.source(),
                plan.target(),
                LoadOptions.builder()
                        .patience(plan.options().patience())
                        .timeout(plan.options().timeout())
                        .verify(Verification.FULL)
                        .build());
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
