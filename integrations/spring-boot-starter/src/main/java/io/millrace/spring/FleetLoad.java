// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.RedisClient;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RedisException;
import io.millrace.load.LoadReportJson;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Loads once for all instances of a fleet. The instance with the lease loads, and stores its report; the others wait for
 * the report. A load that does not complete stores no report, so the next instance loads. If the loader dies, its lease
 * ends, and another instance loads.
 *
 * <p>If Redis cannot be reached, the instances wait, because neither lease nor load is possible. An error reply that
 * stays, such as a missing permission, fails the run at once. A loader that has lost its lease stops its load and waits
 * for the report of the new loader.
 */
final class FleetLoad {

    private static final Log LOG = LogFactory.getLog("io.millrace.spring");

    /** Ten waiting instances send 40 commands per second. */
    private static final Duration POLL_INTERVAL = Duration.ofMillis(250);

    /** A lease is renewed after each third. So two renewals may fail. */
    private static final int RENEWALS_PER_LEASE = 3;

    /** Codes of error replies that end without a change of the command. In all versions, a claim has the code of its write. */
    private static final Set<String> STATES_OF_THE_SERVER = Set.of(
            "BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF", "NOREPLICAS", "OOM", "READONLY", "TRYAGAIN");

    private final RedisClient client;
    private final ScheduledExecutorService timer;
    private final Duration lease;

    FleetLoad(RedisClient client, ScheduledExecutorService timer, Duration lease) {
        this.client = client;
        this.timer = timer;
        this.lease = lease;
    }

    /** Runs on the thread of the job. Returns when this or another instance has loaded, or when the run is stopped. */
    LoadRun run(JobRun run) {
        FleetLease held = new FleetLease(run.job(), lease);
        Optional<RedisException> last = Optional.empty();
        while (!run.isStopped()) {
            try {
                switch (client.call(held.claim())) {
                    case FleetLease.Claim.Loaded loaded -> {
                        return LoadRun.ofFleet(run.job().name(), LoadReportJson.parse(loaded.report()));
                    }
                    case FleetLease.Claim.Held ignored -> {
                        Optional<LoadRun> ended = load(run, held);
                        if (ended.isPresent()) {
                            return ended.get();
                        }
                    }
                    case FleetLease.Claim.Taken ignored -> run.pause(POLL_INTERVAL);
                }
                last = Optional.empty();
            } catch (RedisException failed) {
                refuseIfPermanent(failed);
                if (last.isEmpty()) {
                    warn(run, "cannot ask for the lease of the fleet, and tries again: " + failed.getMessage());
                }
                last = Optional.of(failed);
                run.pause(POLL_INTERVAL);
            }
        }
        return run.endedBeforeFirstRow(
                last.map(failed -> " Last failure: " + failed.getMessage()).orElse(""));
    }

    /** An error reply that does not depend on the state of the server would be repeated until the deadline. */
    private static void refuseIfPermanent(RedisException failed) {
        if (failed instanceof ErrorReplyException reply && !STATES_OF_THE_SERVER.contains(reply.code())) {
            throw reply;
        }
    }

    /** Loads with the lease. Returns empty if another instance has taken the lease. */
    private Optional<LoadRun> load(JobRun run, FleetLease held) {
        AtomicBoolean lost = new AtomicBoolean();
        AtomicBoolean sending = new AtomicBoolean();
        long thirdNanos = lease.toNanos() / RENEWALS_PER_LEASE;
        ScheduledFuture<?> renewals = timer.scheduleWithFixedDelay(
                () -> renew(run, held, lost, sending), thirdNanos, thirdNanos, TimeUnit.NANOSECONDS);
        LoadRun ended;
        try {
            ended = run.load();
        } finally {
            renewals.cancel(false);
        }
        if (lost.get() && !ended.isComplete() && !run.isStopped()) {
            warn(run, "has lost the lease of the fleet, and waits for the report of another instance");
            run.continueAfterLostLease();
            return Optional.empty();
        }
        finish(run, held, ended);
        return Optional.of(ended);
    }

    /**
     * Sends a renewal, unless an earlier one still waits to be sent. The thread of the timer serves all jobs, so it waits
     * neither for the reply nor for a place in the window of the client.
     */
    private void renew(JobRun run, FleetLease held, AtomicBoolean lost, AtomicBoolean sending) {
        if (!sending.compareAndSet(false, true)) {
            return;
        }
        Thread.ofVirtual().name("millrace-load-lease").start(() -> {
            try {
                var unused = client.send(held.renew()).thenAccept(renewed -> {
                    if (!renewed) {
                        lost.set(true);
                        run.loseLease();
                    }
                });
            } finally {
                sending.set(false);
            }
        });
    }

    private void finish(JobRun run, FleetLease held, LoadRun ended) {
        try {
            boolean done =
                    client.call(ended.isComplete() ? held.finish(LoadReportJson.of(ended.report())) : held.release());
            if (!done && ended.isComplete()) {
                warn(run, "is complete, but another instance has taken the lease, and loads again or has loaded");
            }
        } catch (RedisException unreachable) {
            warn(
                    run,
                    "cannot store its report for the fleet, so another instance may load again: "
                            + unreachable.getMessage());
        }
    }

    private static void warn(JobRun run, String text) {
        LOG.warn("the load job " + run.job().name() + " " + text);
    }
}
