// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static io.millrace.load.CheckpointJob.LIST;
import static io.millrace.load.CheckpointJob.ROWS;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.LoadReport.Checkpoint.State;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.target.ListTarget;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
        redis.call("SET", "n:3", "of another type");
        StringBuilder text = new StringBuilder("part,name\n");
        IntStream.range(0, ROWS)
                .forEach(i -> text.append(i % 5).append(",name ").append(i).append('\n'));
        job.write(text.toString());
        int[] transactions = {0};
        CheckpointStep.Listener killer = step -> {
            boolean kills =
                    (step == CheckpointStep.COLLECTED || step == CheckpointStep.EXECUTED) && ++transactions[0] % 7 == 0;
            if (kills) {
                redis.call("CLIENT KILL", "TYPE", "normal");
            }
        };

        ListTarget target = ListTarget.of("n:{part}").withValue("name");
        LoadReport report = job.run(killer, job.plan(target, job.source(), o -> o));

        assertThat(transactions[0]).isGreaterThan(20);
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
    }

    @Test
    void busyServerIsWaitedForBeforeTheFirstRow() {
        LoadReport report;
        try (BusyServer busy = new BusyServer(redis)) {
            busy.endLater();
            report = job.run(LIST, CheckpointOptions::resuming);
        }

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
    void busyServerIsWaitedForAfterALostConnection() {
        BusyServer[] busy = new BusyServer[1];

        LoadReport report = job.run(
                inTheMiddle(() -> {
                    redis.call("CLIENT KILL", "TYPE", "normal");
                    busy[0] = new BusyServer(redis);
                    busy[0].endLater();
                }),
                job.plan(LIST, job.source(), o -> o));
        busy[0].close();

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

    /** A server that runs a script without end, and answers BUSY. Uses sockets, because a client waits for such a server. */
    private static final class BusyServer implements AutoCloseable {

        private final Socket caller;
        private final Socket admin;
        private CompletableFuture<Void> later = CompletableFuture.completedFuture(null);
        private boolean ended;

        BusyServer(TestRedis redis) {
            redis.call("CONFIG SET", "busy-reply-threshold", "1");
            try {
                caller = new Socket(redis.server().host(), redis.server().port());
                admin = new Socket(redis.server().host(), redis.server().port());
                caller.getOutputStream().write("EVAL 'while true do end' 0\r\n".getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            while (!reply("GET any").startsWith("-BUSY")) {
                Thread.onSpinWait();
            }
        }

        /** The first line of the reply to {@code command}. */
        private String reply(String command) {
            try {
                admin.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
                StringBuilder line = new StringBuilder();
                for (int b = admin.getInputStream().read();
                        b != '\n' && b >= 0;
                        b = admin.getInputStream().read()) {
                    line.append((char) b);
                }
                return line.toString();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Ends the script after some refused attempts of a load. */
        void endLater() {
            later = CompletableFuture.runAsync(
                    () -> {
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
                        end();
                    },
                    task -> Thread.ofVirtual().start(task));
        }

        private void end() {
            if (!ended) {
                ended = true;
                assertThat(reply("SCRIPT KILL")).startsWith("+OK");
            }
        }

        @Override
        public void close() {
            later.join();
            end();
            try {
                admin.close();
                caller.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
