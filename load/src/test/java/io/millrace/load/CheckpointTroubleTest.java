// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static io.millrace.load.CheckpointJob.LIST;
import static io.millrace.load.CheckpointJob.ROWS;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.load.LoadReport.Checkpoint.State;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.target.ListTarget;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoThreadLeft;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Loads with a checkpoint in Redis, whose connections or whose checkpoint are lost, or whose server refuses commands. */
@ExtendWith(NoThreadLeft.class)
class CheckpointTroubleTest {

    private TestRedis redis;

    @TempDir
    private Path folder;

    private CheckpointJob job;
    private int transactions;

    @BeforeEach
    void prepare() {
        redis = TestRedis.start();
        job = new CheckpointJob(redis, folder);
    }

    @AfterEach
    void stopRedis() {
        redis.close();
    }

    @Test
    void listKeepsItsRowsAndAccountIfItsConnectionsAreKilled() {
        int[] killed = {0};

        LoadReport report = loadIntoFiveLists(redis.options(), step -> {
            if (isEachSeventh(step)) {
                killed[0]++;
                redis.call("CLIENT KILL", "TYPE", "normal");
            }
        });

        assertThat(killed[0]).isGreaterThan(1);
        assertFiveLists(report);
    }

    @Test
    void transactionWhoseReplyIsLostIsCountedAndNotWrittenAgain() {
        int[] cut = {0};
        LoadReport report;
        try (FaultProxy proxy =
                FaultProxy.inFrontOf(redis.server().host(), redis.server().port())) {
            report = loadIntoFiveLists(ClientOptions.of(RedisUri.of(proxy.host(), proxy.port())), step -> {
                if (isEachSeventh(step)) {
                    cut[0]++;
                    proxy.cut(Direction.TO_CLIENT, 1, ConnectionEnd.RESET);
                }
            });
        }

        assertThat(cut[0]).isGreaterThan(1);
        assertFiveLists(report);
    }

    private boolean isEachSeventh(CheckpointStep step) {
        return step == CheckpointStep.COLLECTED && ++transactions % 7 == 0;
    }

    /** Loads the rows into the lists of five keys. One of these keys is a string. */
    private LoadReport loadIntoFiveLists(ClientOptions server, CheckpointStep.Listener steps) {
        redis.call("SET", "n:3", "of another type");
        StringBuilder text = new StringBuilder("part,name\n");
        IntStream.range(0, ROWS)
                .forEach(i -> text.append(i % 5).append(",name ").append(i).append('\n'));
        job.write(text.toString());
        ListTarget target = ListTarget.of("n:{part}").withValue("name");
        return new Loader(server, steps).run(job.plan(target, job.source(), o -> o), event -> {});
    }

    private void assertFiveLists(LoadReport report) {
        assertThat(report.ending()).isEqualTo(new Ending.Completed());
        assertThat(report.rows()).isEqualTo(new RowCounts(ROWS, ROWS / 5 * 4, ROWS / 5, 0, 0));
        for (int part : List.of(0, 1, 2, 4)) {
            int first = part;
            assertThat(CheckpointJob.list(redis, "n:" + part))
                    .isEqualTo(IntStream.range(0, ROWS / 5)
                            .mapToObj(i -> "name " + (5 * i + first))
                            .toList());
        }
    }

    @Test
    void loadThatIsTakenOverStopsAndNoRowIsWrittenTwice() {
        LoadReport report = job.run(
                inTheMiddle(() -> job.run(LIST, CheckpointOptions::resuming)), job.plan(LIST, job.source(), o -> o));

        assertThat(report.ending().reason().orElseThrow()).contains("another load continues with this checkpoint");
        assertThat(report.details().checkpoint().orElseThrow().state()).isEqualTo(State.LOST);
        assertThat(CheckpointJob.list(redis, "all")).hasSize(ROWS).doesNotHaveDuplicates();
    }

    @Test
    void loadWhoseServerLostTheCheckpointStopsAndDoesNotAdviseToResume() {
        LoadReport report = job.run(
                inTheMiddle(() -> {
                    redis.call("FLUSHALL");
                    redis.call("CLIENT KILL", "TYPE", "normal");
                }),
                job.plan(LIST, job.source(), o -> o));

        LoadReport.Checkpoint checkpoint = report.details().checkpoint().orElseThrow();
        assertThat(report.ending().reason().orElseThrow())
                .contains("the server has lost the checkpoint", "load from the beginning");
        assertThat(checkpoint.state()).isEqualTo(State.LOST);
        assertThat(checkpoint.advice()).isEmpty();
        assertThat(report.rows().written()).isZero();
        assertThat(report.details().takenBackRows()).isPositive();
    }

    @Test
    void rowsThatTheServerHasLostDoNotCountAsWritten() {
        int[] lengthOfCopy = {0};
        CheckpointStep.Listener steps = step -> {
            int length = (int) job.integer("LLEN", "all");
            if (step == CheckpointStep.COLLECTED && lengthOfCopy[0] == 0 && length > 0) {
                lengthOfCopy[0] = length;
                redis.call("COPY", "all", "all:copy");
                redis.call("COPY", "millrace:checkpoint:job", "checkpoint:copy");
            } else if (step == CheckpointStep.COLLECTED && length > lengthOfCopy[0] && lengthOfCopy[0] > 0) {
                redis.call("RENAME", "all:copy", "all");
                redis.call("RENAME", "checkpoint:copy", "millrace:checkpoint:job");
                redis.call("CLIENT KILL", "TYPE", "normal");
            }
        };

        LoadReport report = job.run(steps, job.plan(LIST, job.source(), o -> o));

        assertThat(report.ending().reason().orElseThrow())
                .startsWith("the server has lost rows that it had acknowledged");
        assertThat(CheckpointJob.list(redis, "all")).hasSize((int) report.rows().written());
        assertThat(report.rows().written()).isEqualTo(lengthOfCopy[0]);
        assertThat(report.details().takenBackRows()).isPositive();
    }

    @Test
    void serverThatRefusesAllCommandsIsWaitedForBeforeTheFirstRow() {
        refuse();
        CompletableFuture<Void> accepting = acceptAfter(Duration.ofMillis(200));

        LoadReport report = job.run(LIST, CheckpointOptions::resuming);
        accepting.join();

        assertThat(report.ending()).isEqualTo(new Ending.Completed());
        assertThat(CheckpointJob.list(redis, "all")).hasSize(ROWS);
    }

    @Test
    void serverThatKeepsRefusingStopsTheLoadWithItsReason() {
        redis.call("CONFIG SET", "min-replicas-to-write", "1");
        LoadOptions impatient = LoadOptions.builder()
                .checkpoint(CheckpointOptions.of("job").resuming())
                .patience(Duration.ofMillis(50))
                .build();

        LoadReport report = job.run(CheckpointStep.Listener.NONE, new LoadPlan(job.source(), LIST, impatient));

        assertThat(report.ending().reason().orElseThrow())
                .startsWith("the server accepts no rows now: NOREPLICAS")
                .contains("The loader has waited", "Repeat the load when enough replicas are connected.");
        assertThat(report.rows()).isEqualTo(new RowCounts(0, 0, 0, 0, 0));
        assertThat(report.details().checkpoint()).isEmpty();
    }

    @Test
    void serverThatRefusesAllCommandsIsWaitedForAfterALostConnection() {
        List<CompletableFuture<Void>> accepting = new ArrayList<>();
        // A call waits for the server, too, but only up to its timeout.
        ClientOptions impatient = ClientOptions.builder(redis.options().uri())
                .commandTimeout(Duration.ofSeconds(2))
                .build();
        CheckpointStep.Listener steps = inTheMiddle(() -> {
            redis.call("CLIENT KILL", "TYPE", "normal");
            refuse();
            accepting.add(acceptAfter(Duration.ofSeconds(3)));
        });

        LoadReport report = new Loader(impatient, steps).run(job.plan(LIST, job.source(), o -> o), event -> {});
        accepting.forEach(CompletableFuture::join);

        assertThat(accepting).hasSize(1);
        assertThat(report.ending()).isEqualTo(new Ending.Completed());
        assertThat(report.rows()).isEqualTo(new RowCounts(ROWS, ROWS, 0, 0, 0));
        assertThat(CheckpointJob.list(redis, "all")).hasSize(ROWS).doesNotHaveDuplicates();
    }

    /** Runs {@code action} once, before a transaction that is not the first one. */
    private CheckpointStep.Listener inTheMiddle(Runnable action) {
        boolean[] done = {false};
        return step -> {
            if (step == CheckpointStep.COLLECTED && !done[0] && job.integer("LLEN", "all") > 0) {
                done[0] = true;
                action.run();
            }
        };
    }

    /** Lets the server refuse all commands with MASTERDOWN: the server is a replica whose primary does not exist. */
    private void refuse() {
        redis.call("CONFIG SET", "replica-serve-stale-data", "no");
        redis.call("REPLICAOF", "127.0.0.1", "1");
    }

    /** Ends {@link #refuse} after some attempts of a load. */
    private CompletableFuture<Void> acceptAfter(Duration time) {
        return CompletableFuture.runAsync(
                () -> {
                    LockSupport.parkNanos(time.toNanos());
                    redis.call("REPLICAOF", "NO", "ONE");
                },
                task -> Thread.ofVirtual().start(task));
    }
}
