// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Scripts;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * What a worker of a {@link JobQueue} does once a second, also while all its places are occupied or the queue is paused:
 * due jobs begin to wait, and the succeeded jobs are counted. Only the acknowledging thread calls {@link #run}.
 */
final class JobMaintenance {

    /**
     * A job that is due within this time is due now, or soon after. The script decides. The time is the interval of the
     * checks, so an inexact estimate of the server's clock delays no job by more than this time.
     */
    private static final long SOON_MILLIS = 1_000;

    private static final int PROMOTE_LIMIT = 1_000;
    private static final int MAX_ROUNDS = 100;

    private final RedisClient client;
    private final JobKeys keys;
    private final ServerClock clock;
    private final RecurringJobs recurring;

    /** Jobs that succeeded since the last run. */
    private final LongAdder succeeded = new LongAdder();

    JobMaintenance(RedisClient client, JobKeys keys, ServerClock clock) {
        this.client = client;
        this.keys = keys;
        this.clock = clock;
        this.recurring = new RecurringJobs(client, keys);
    }

    void succeeded() {
        succeeded.increment();
    }

    /** Returns the number of succeeded jobs that are not counted yet, and counts from 0 again. */
    long takeSucceeded() {
        return succeeded.sumThenReset();
    }

    /** Returns whether delayed jobs have begun to wait. */
    boolean run() {
        long soon = clock.latestMillis() + SOON_MILLIS;
        long done = takeSucceeded();
        Pipeline pipeline = client.pipeline();
        Result<Long> delayed =
                pipeline.add(Command.of("ZCOUNT", keys.delayed(), "-inf", soon).as(Replies::integer));
        Result<Long> due = pipeline.add(
                Command.of("ZCOUNT", keys.recurringDue(), "-inf", soon).as(Replies::integer));
        Optional<Result<Long>> counted = done == 0
                ? Optional.empty()
                : Optional.of(pipeline.add(Hashes.increment(keys.counts(), "succeeded", done)));
        var unused = pipeline.run();
        if (counted.isPresent() && !counted.get().ok()) {
            succeeded.add(done);
        }
        if (due.value() > 0) {
            recurring.fireDue();
        }
        return delayed.value() > 0 && promote();
    }

    /** Makes due jobs wait. Returns whether there was one. */
    private boolean promote() {
        long moved = PROMOTE_LIMIT;
        boolean any = false;
        for (int round = 0; round < MAX_ROUNDS && moved == PROMOTE_LIMIT; round++) {
            moved = client.call(Scripts.run(
                            JobScripts.PROMOTE,
                            List.of(keys.delayed(), keys.waiting(), keys.suspects()),
                            List.of(PROMOTE_LIMIT))
                    .as(Replies::integer));
            any |= moved > 0;
        }
        return any;
    }
}
