// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.LoadReport.Verified;
import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.CsvSource;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.RowSource;
import io.millrace.load.source.SourceException;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Loads with failures. Each row must still be counted exactly once, and the report must give the reason. */
@ExtendWith(NoThreadLeft.class)
class LoadFailureTest {

    private static final HashTarget HASH = HashTarget.of("c:{id}");
    private static final StringTarget STRING = StringTarget.of("c:{id}", "name");

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private final List<LoadEvent> events = new ArrayList<>();

    @Test
    void stopWakesAReaderThatWaitsForItsPipe() throws IOException {
        Pipe pipe = Pipe.open();
        pipe.sink().write(ByteBuffer.wrap("id,name\n1,one\n2,two\n3,th".getBytes(UTF_8)));
        RowSource source =
                CsvSource.of(Channels.newInputStream(pipe.source()), "standard input", CsvOptions.defaults());
        Loader loader = new Loader(REDIS.options());

        LoadReport report = loader.run(new LoadPlan(source, HASH, LoadOptions.defaults()), event -> {
            if (event instanceof LoadEvent.Progress progress && progress.rows().read() == 2) {
                loader.stop();
            }
        });

        assertThat(report.ending()).isEqualTo(new Ending.Interrupted());
        assertThat(report.rows()).isEqualTo(new RowCounts(2, 2, 0, 0, 0));
        pipe.sink().close();
    }

    @Test
    void abandonedLoadDoesNotWaitForAStalledServer() {
        try (TestRedis stalled = TestRedis.start()) {
            Loader loader = new Loader(stalled.options());
            LoadReport report = loader.run(
                    new LoadPlan(TestRows.endless(), HASH, with(o -> o.timeout(Duration.ofMinutes(5)))),
                    paused(stalled, () -> {
                        loader.stop();
                        loader.abandon();
                    }));
            stalled.server().resume();

            assertThat(report.ending()).isEqualTo(new Ending.Interrupted());
            assertThat(report.rows().unconfirmed()).isPositive();
            assertThat(report.rows().unconfirmed() + report.rows().skipped())
                    .isEqualTo(report.commands().lost());
            // The load did not wait for the command timeout of five minutes.
            assertThat(report.seconds()).isLessThan(60);
        }
    }

    @Test
    void rowCountsAreConsistentWhenRowsTimeOutOnAStalledServer() {
        try (TestRedis stalled = TestRedis.start()) {
            LoadOptions options = with(o -> o.timeout(Duration.ofMillis(300)).inFlight(1_000));

            ClientOptions client = ClientOptions.builder(RedisUri.of(
                            stalled.server().host(), stalled.server().port()))
                    .connectTimeout(Duration.ofSeconds(60))
                    .commandTimeout(Duration.ofMinutes(5))
                    .build();
            LoadReport report =
                    new Loader(client).run(new LoadPlan(TestRows.endless(), HASH, options), paused(stalled, () -> {}));
            stalled.server().resume();

            assertThat(report.ending()).isInstanceOf(Ending.Stopped.class);
            assertThat(report.rows().written())
                    .isEqualTo(report.commands().ok())
                    .isPositive();
            assertThat(report.commands().timedOut() + report.commands().lost()).isPositive();
            assertThat(report.rows().unconfirmed()).isPositive();
            assertThat(report.rows().unconfirmed() + report.rows().skipped())
                    .isEqualTo(report.commands().timedOut()
                            + report.commands().lost()
                            + report.commands().refused());
            assertThat(report.seconds())
                    .as("does not wait five minutes for INFO")
                    .isLessThan(60);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void unwritableRejectsFileStopsTheLoadAndRowCountsAreConsistent() {
        RowSource bad = TestRows.of((row, opening, id) -> {
            TestRows.fill(row, id, "x".repeat(1_000));
            row.reject(Rejection.Reason.TOO_FEW_FIELDS, "made so");
            return id < 100_000;
        });
        RowSource oneBad = TestRows.of((row, opening, id) -> {
            TestRows.fill(row, id, "one");
            row.reject(Rejection.Reason.TOO_FEW_FIELDS, "made so");
            return id < 1;
        });
        LoadOptions options = with(o -> o.rejects(Path.of("/dev/full")));

        LoadReport inside = run(bad, HASH, options);
        LoadReport atTheEnd = run(oneBad, HASH, options);

        assertThat(inside.rows().read()).isEqualTo(inside.rows().rejected()).isBetween(10L, 200L);
        assertThat(why(inside))
                .startsWith("rejects file cannot be written: path=/dev/full")
                .hasLineCount(1);
        assertThat(atTheEnd.rows()).isEqualTo(new RowCounts(1, 0, 1, 0, 0));
        assertThat(why(atTheEnd))
                .startsWith("rejects file cannot be written: path=/dev/full, rows=1")
                .containsOnlyOnce("cannot be written");
    }

    @Test
    void brokenSourceStopsTheLoadAndEarlierRowsAreWritten() {
        RowSource breaking = TestRows.of((row, opening, id) -> {
            if (id == 1_000) {
                throw new SourceException(SourceException.Kind.BROKEN, "the disk is gone");
            }
            return TestRows.fill(row, id, "x");
        });

        LoadReport report = run(breaking, HASH, LoadOptions.defaults());

        assertThat(report.ending()).isEqualTo(new Ending.Stopped("the disk is gone"));
        assertThat(report.rows()).isEqualTo(new RowCounts(1_000, 1_000, 0, 0, 0));
    }

    @Test
    void interruptOfTheThreadStopsTheLoad() {
        RowSource rows = TestRows.of((row, opening, id) -> {
            if (id == 50_000) {
                Thread.currentThread().interrupt();
            }
            return TestRows.fill(row, id, "x");
        });

        LoadReport report = run(rows, HASH, LoadOptions.defaults());

        assertThat(Thread.interrupted()).isTrue();
        assertThat(report.ending()).isEqualTo(new Ending.Interrupted());
        assertThat(report.rows().read()).isEqualTo(50_001);
        assertThat(report.rows().written() + report.rows().skipped()).isEqualTo(50_001);
        assertThat(report.rows().skipped()).isLessThanOrEqualTo(1);
    }

    @Test
    void loadIntoAReplicaStopsWhenItsPatienceIsUsedUp() {
        try (TestRedis replica = TestRedis.start(EmbeddedOptions.defaults()
                .withConfig("replicaof 127.0.0.1 " + REDIS.server().port()))) {
            LoadReport report = new Loader(replica.options())
                    .run(
                            new LoadPlan(
                                    TestRows.endless(),
                                    HASH,
                                    with(o -> o.inFlight(1_000).patience(Duration.ofMillis(200)))),
                            events::add);

            assertThat(why(report))
                    .startsWith("the server accepts no rows now: READONLY ")
                    .contains("The loader has waited ")
                    .endsWith("Load the rows into the primary.");
            assertThat(report.rows().written()).isZero();
            assertThat(report.rows().read()).isEqualTo(report.rows().rejected()).isBetween(1L, 20_000L);
        }
    }

    @Test
    void tooManyRejectedRowsPreventTheVerification() {
        long rows = RejectHandler.MAX_REMEMBERED + 5;
        REDIS.call("EVAL", "for i=3," + (rows + 2) + " do redis.call('RPUSH','c:'..i,'x') end", "0");

        LoadReport report = run(TestRows.count(rows + 3), HASH, with(o -> o.verify(Verification.FULL)));

        assertThat(report.rows()).isEqualTo(new RowCounts(rows + 3, 3, rows, 0, 0));
        assertThat(report.verified()).isEmpty();
        assertThat(why(report))
                .as("%s", report.ending())
                .startsWith("verification was skipped, because the server refused too many rows to remember them:"
                        + " remembered=");
    }

    @Test
    void verificationStopsAndReportsTheReasonIfTooManyRowsDiffer() {
        RowSource changing = TestRows.of(
                (row, opening, id) -> id < Verifier.MAX_SUSPECTS * 2L && TestRows.fill(row, id, "opening " + opening));

        LoadReport report = run(changing, STRING, with(o -> o.verify(Verification.FULL)));

        assertThat(report.rows().written()).isEqualTo(Verifier.MAX_SUSPECTS * 2L);
        assertThat(report.verified()).as("later rows could have matched").isEmpty();
        assertThat(why(report))
                .startsWith("verification ended early: too many rows differ from Redis: readBack=")
                .endsWith(", maximumDifferent=" + Verifier.MAX_SUSPECTS);
    }

    @Test
    void verificationWithoutReadPermissionReportsTheErrorAndNoMismatch() {
        REDIS.call("ACL", "SETUSER", "default", "-hmget", "-get");
        try {
            for (Target target : List.of(HASH, HASH.withTtl(Duration.ofHours(1)), STRING)) {
                LoadReport report = run(TestRows.count(10), target, with(o -> o.verify(Verification.FULL)));

                assertThat(report.rows().written()).as("%s", target).isEqualTo(10);
                assertThat(report.verified()).as("%s", target).isEmpty();
                assertThat(why(report))
                        .startsWith("verification ended early: ")
                        .containsPattern("permission|can't run");
            }
        } finally {
            REDIS.call("ACL", "SETUSER", "default", "+@all");
        }
    }

    @Test
    void keyWithAChangedTypeIsAMismatch() {
        for (Target target : List.of(HASH, HASH.withTtl(Duration.ofHours(1)), STRING)) {
            REDIS.call("FLUSHALL");
            RowSource disturbing = TestRows.before(TestRows.count(5), opening -> opening == 2, () -> {
                REDIS.call("DEL", "c:2");
                REDIS.call("RPUSH", "c:2", "x");
            });

            LoadReport report = run(disturbing, target, with(o -> o.verify(Verification.FULL)));

            assertThat(report.verified()).as("%s", target).contains(new Verified(5, 1));
        }
    }

    @Test
    void progressShareAndExpectedRowsReferToTheRowLimit(@TempDir Path folder) {
        Path file = folder.resolve("rows.csv");
        LoadReport report = run(
                CsvSource.of(write(file, "id,name\n" + "1,x\n".repeat(1_000)), CsvOptions.defaults()),
                HASH,
                with(o -> o.limit(10)));

        LoadEvent.Progress last = events.stream()
                .filter(LoadEvent.Progress.class::isInstance)
                .map(LoadEvent.Progress.class::cast)
                .reduce((first, second) -> second)
                .orElseThrow();
        assertThat(report.rows().read()).isEqualTo(10);
        assertThat(last.share()).hasValue(1);
        assertThat(ExpectedRows.rows(OptionalLong.of(1_000), OptionalLong.of(10)))
                .hasValue(10);
        assertThat(ExpectedRows.share(OptionalDouble.of(0.01), 5, OptionalLong.of(10)))
                .hasValue(0.5);
        assertThat(ExpectedRows.share(OptionalDouble.empty(), 5, OptionalLong.of(10)))
                .isEmpty();
    }

    @Test
    void interruptedVerificationGivesNoResult() {
        Loader loader = new Loader(REDIS.options());
        RowSource source = TestRows.of((row, opening, id) -> {
            if (opening == 2 && id == 500) {
                loader.stop();
            }
            return id < 1_000 && TestRows.fill(row, id, "x");
        });

        LoadReport report = loader.run(new LoadPlan(source, HASH, with(o -> o.verify(Verification.FULL))), events::add);

        assertThat(report.ending()).isEqualTo(new Ending.Interrupted());
        assertThat(report.rows().written()).isEqualTo(1_000);
        assertThat(report.verified()).isEmpty();
    }

    @Test
    void keyThatHasExpiredBeforeTheVerificationIsNotAMismatch() {
        Target shortLived = HASH.withTtl(Duration.ofMillis(1));

        LoadReport report = run(TestRows.count(100), shortLived, with(o -> o.verify(Verification.FULL)));

        assertThat(report.verified()).contains(new Verified(100, 0));
    }

    @Test
    void firstReaderIsClosedBeforeTheSourceIsReadAgain() {
        List<String> order = new ArrayList<>();
        RowSource source = TestRows.recorded(TestRows.count(3), order::add);

        run(source, HASH, with(o -> o.verify(Verification.FULL)));

        assertThat(order).startsWith("open", "close", "open", "close");
    }

    private static Path write(Path file, String text) {
        try {
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private LoadReport run(RowSource source, Target target, LoadOptions options) {
        return new Loader(REDIS.options()).run(new LoadPlan(source, target, options), events::add);
    }

    /** Pauses the server after the first written rows, and runs {@code then} when some rows are without a reply. */
    static Consumer<LoadEvent> paused(TestRedis server, Runnable then) {
        long[] answered = {-1};
        return event -> {
            if (event instanceof LoadEvent.Progress progress && progress.rows().written() > 0) {
                if (answered[0] < 0) {
                    server.server().pause();
                    answered[0] = 0;
                } else if (progress.inFlight() > 0 && progress.rows().written() == answered[0]) {
                    then.run();
                } else {
                    answered[0] = progress.rows().written();
                }
            }
        };
    }

    private static String why(LoadReport report) {
        assertThat(report.ending()).isInstanceOfAny(Ending.Stopped.class, Ending.Unverified.class);
        return report.ending().reason().orElseThrow();
    }

    private static LoadOptions with(UnaryOperator<LoadOptions.Builder> change) {
        return change.apply(LoadOptions.builder()).build();
    }
}
