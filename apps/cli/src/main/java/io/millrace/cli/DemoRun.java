// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static java.lang.String.format;
import static java.util.Locale.ROOT;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.load.ExitCode;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.LoadPlan;
import io.millrace.load.LoadReport;
import io.millrace.load.Loader;
import io.millrace.load.source.GeneratedSource;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.Target;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Runs the demo: starts a private server, loads and verifies generated rows, and loads some of these rows again without
 * pipelining.
 */
final class DemoRun implements GracefulShutdown.Stoppable {

    static final Setting<Integer> ROWS =
            new Setting<>("rows", 1, 50_000_000, 1_000_000, Unit.COUNT, "Number of customers to generate and load.");

    private static final int COMPARED_ROWS = 20_000;
    private static final long SEED = 20_261_121;

    private final DemoArguments arguments;
    private final int rows;
    private final StandardStreams standardStreams;

    private volatile boolean stopped;
    private volatile @Nullable Loader loader;

    DemoRun(DemoArguments arguments, StandardStreams standardStreams) {
        this.arguments = arguments;
        this.rows = arguments.rows.value().orElse(ROWS.defaultValue());
        this.standardStreams = standardStreams;
    }

    /** Blocks until the demo has ended and has deleted the server. */
    ExitCode run() {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            say(format(ROOT, "A private Redis %s listens on port %d.", redis.version(), redis.port()));
            RedisUri uri = RedisUri.of(redis.host(), redis.port());
            ExitCode code = GracefulShutdown.run(() -> loadInto(uri), LoadRun.DRAIN_LIMIT, this);
            if (arguments.keep.isTyped() && code == ExitCode.OK) {
                keep(redis.port());
            }
            return code;
        }
    }

    private ExitCode loadInto(RedisUri redis) {
        RowSource source = GeneratedSource.customers(rows, SEED);
        Target target = HashTarget.of("customer:{id}");
        say("The load generates customers, and writes each as a hash, as with:");
        say(format(
                ROOT,
                "  millrace load '%s' --key 'customer:{id}' --as hash --verify full -u %s",
                source.name(),
                redis));
        LoadOptions options = LoadOptions.builder().verify(Verification.FULL).build();
        LoadPlan plan = new LoadPlan(source, target, options);
        LoadReport report = load(plan, ClientOptions.of(redis));
        say(ReportFormatter.lines(report, plan));
        ExitCode code = ExitCode.of(report);
        if (code != ExitCode.OK || stopped) {
            return stopped ? ExitCode.INTERRUPTED : code;
        }
        // The comparison writes to a separate database, so that the loaded data stays unchanged.
        RedisUri comparison = redis.withDatabase(1);
        long compared = Math.min(COMPARED_ROWS, rows);
        say(format(ROOT, "\nLoading %,d of these rows again, one command at a time …", compared));
        UnpipelinedLoad.Result loop =
                UnpipelinedLoad.run(source, target, ClientOptions.of(comparison), compared, () -> stopped);
        if (stopped) {
            return ExitCode.INTERRUPTED;
        }
        say("\n" + comparison(report, loop));
        return ExitCode.OK;
    }

    private LoadReport load(LoadPlan plan, ClientOptions redis) {
        ProgressDisplay display = new ProgressDisplay(
                standardStreams.err(),
                LoadReport.Job.Kind.LOAD,
                ProgressStyle.AUTO,
                standardStreams.terminalWidth().get(),
                OptionalLong.empty(),
                new RejectionMessages(false, Optional.empty()));
        display.expect(rows);
        Loader running = new Loader(redis);
        loader = running;
        try {
            return running.run(plan, display);
        } finally {
            display.end();
            loader = null;
        }
    }

    /** Formats the results of both loads as a table. */
    static String comparison(LoadReport report, UnpipelinedLoad.Result loop) {
        double loopPerSecond = loop.rows() / loop.seconds();
        double whole = report.rows().written() / loopPerSecond;
        return format(
                ROOT,
                """
                                              rows     seconds      rows/s
                Millrace                %,10d  %10.2f  %,10d
                one command at a time   %,10d  %10.2f  %,10d
                Millrace was %.1f times as fast. One at a time, all rows would have taken %.0f s on loopback.
                Each millisecond of network latency would add %,.0f s of waiting for replies.""",
                report.rows().written(),
                report.seconds(),
                report.rowsPerSecond(),
                loop.rows(),
                loop.seconds(),
                Math.round(loopPerSecond),
                report.rowsPerSecond() / loopPerSecond,
                whole,
                report.rows().written() / 1_000.0);
    }

    private void keep(int port) {
        say("\nThe server runs until Enter or Ctrl-C. To look at the data:");
        say(format(ROOT, "  redis-cli -p %d hgetall customer:%d", port, Math.min(42, rows)));
        say(format(ROOT, "  redis-cli -p %d dbsize", port));
        if (!awaitInput()) {
            say("Standard input has ended. To stop the server, press Ctrl-C or run: kill "
                    + ProcessHandle.current().pid());
            awaitSignal();
        }
    }

    /** Returns false if standard input has ended. */
    private boolean awaitInput() {
        try {
            return standardStreams.in().read() >= 0;
        } catch (IOException unreadable) {
            return false;
        }
    }

    private static void awaitSignal() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void stop() {
        stopped = true;
        Loader running = loader;
        if (running != null) {
            running.stop();
        }
    }

    @Override
    public void abandon() {
        Loader running = loader;
        if (running != null) {
            running.abandon();
        }
    }

    private void say(String line) {
        standardStreams.out().println(line);
        standardStreams.out().flush();
    }
}
