// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.CsvSource;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.ListTarget;
import io.millrace.load.target.StreamTarget;
import io.millrace.load.target.Target;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A process that runs or resumes a load with a checkpoint. Ends abruptly at a step, as if it was killed.
 *
 * <p>Arguments: port, target, CSV file, folder of the checkpoint, step or {@code none}, which occurrence of the step,
 * number of rows before the last row.
 */
public final class LoaderProcess {

    /** Exit code of a process that has ended at its step. */
    static final int KILLED = 137;

    /** Exit code if the load did not complete. */
    static final int NOT_COMPLETED = 9;

    private LoaderProcess() {}

    /** The targets of the kill tests. */
    static Target target(String name) {
        return switch (name) {
            case "hash" -> HashTarget.of("h:{id}");
            case "list" -> ListTarget.of("l:{part}").withValue("name");
            case "stream" -> StreamTarget.of("s:{part}");
            case "expiring" -> ListTarget.of("l:{part}").withValue("name").withTtl(Duration.ofHours(1));
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** The plan of a load that waits for its server up to {@code patience}. */
    static LoadPlan plan(String target, Path csv, Path folder, Duration patience) {
        CheckpointOptions checkpoint =
                CheckpointOptions.of("killed").in(folder).resuming().withServerKeptData();
        LoadOptions.Builder options =
                LoadOptions.builder().checkpoint(checkpoint).patience(patience);
        if (target.equals("hash")) {
            // The file is written once per second, so the kills need a load that lasts longer than a second.
            options.rate(15_000);
        }
        return new LoadPlan(CsvSource.of(csv, CsvOptions.defaults()), target(target), options.build());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs the process. */
    public static void main(String[] args) {
        AtomicInteger left = new AtomicInteger(Integer.parseInt(args[5]));
        // A file is saved at its creation. The last row waits for a second save, also on a busy machine.
        CountDownLatch saves = new CountDownLatch(args[1].equals("hash") ? 2 : 0);
        CheckpointStep.Listener halt = step -> {
            if (step == CheckpointStep.SAVED) {
                saves.countDown();
            }
            if (step.name().equals(args[4]) && left.decrementAndGet() == 0) {
                Runtime.getRuntime().halt(KILLED);
            }
        };
        Loader loader = new Loader(ClientOptions.of(RedisUri.of("127.0.0.1", Integer.parseInt(args[0]))), halt);
        LoadPlan plan = plan(args[1], Path.of(args[2]), Path.of(args[3]), Duration.ZERO);
        RowSource waiting = StoppingSource.after(plan.source(), Long.parseLong(args[6]), () -> await(saves));
        LoadReport report = loader.run(new LoadPlan(waiting, plan.target(), plan.options()), event -> {});
        boolean complete = report.ending() instanceof LoadReport.Ending.Completed
                && report.rows().unconfirmed() == 0;
        if (!complete) {
            System.out.println(Arrays.toString(args) + " " + report);
        }
        Runtime.getRuntime().exit(complete ? 0 : NOT_COMPLETED);
    }
}
