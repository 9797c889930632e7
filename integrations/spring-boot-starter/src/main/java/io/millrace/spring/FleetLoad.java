// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.RedisClient;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RedisException;
import io.millrace.load.LoadReportJson;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Loads once for all instances of a fleet. The instance with the lease loads, and stores its report; the others wait for
 * the report. A load that does not complete stores no report, so the next instance loads. If the loader dies, its lease
 * ends, and another instance loads.
 *
 * <p>If Redis cannot be reached, the instances wait, because neither lease nor load is possible. An error reply that a
 * repetition would not change, such as {@code NOPERM} or {@code WRONGTYPE}, fails the run at once. A loader that has lost its
 * lease stops its load and waits for the report of the new loader.
 *
 * <p>DESIGN. One thread renews the leases of all jobs. It is a platform thread, because virtual threads that compute can occupy
 * all carrier threads, and the lease of a healthy load would end then. The thread of the timer must not wait for replies, so
 * it does not renew leases.
 *
 * <pre>
 *     time in leases   0        1/3       2/3       1
 *                      claim    R1        R2        R3     without failures
 *                      claim    R1..x     R2..x     R3     the server is silent: each renewal has a limit of 1/6
 * </pre>
 */
final class FleetLoad implements AutoCloseable {

    private static final Log LOG = LogFactory.getLog("io.millrace.spring");

    /** Ten waiting instances send 40 commands per second. */
    private static final Duration POLL_INTERVAL = Duration.ofMillis(250);

    /** A lease is renewed after each third. If one renewal gets no reply, the next one still arrives before the lease ends. */
    private static final int RENEWALS_PER_LEASE = 3;

    /** The time limit of a renewal is half of the time until the next one, because the thread has other leases to renew. */
    private static final int LIMITS_PER_LEASE = 2 * RENEWALS_PER_LEASE;

    /** Time without leases after which the thread of the renewals ends. */
    private static final Duration IDLE = Duration.ofMinutes(1);

    /** Codes of error replies that end without a change of the command. In all versions, a claim has the code of its write. */
    private static final Set<String> STATES_OF_THE_SERVER = Set.of(
            "BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF", "NOREPLICAS", "OOM", "READONLY", "TRYAGAIN");

    private final RedisClient client;
    private final Duration lease;
    private final Duration limit;
    private final ScheduledThreadPoolExecutor renewals;

    FleetLoad(RedisClient client, Duration lease) {
        this.client = client;
        this.lease = lease;
        Duration part = lease.dividedBy(LIMITS_PER_LEASE);
        Duration timeout = client.options().commandTimeout();
        this.limit = part.compareTo(timeout) < 0 ? part : timeout;
        this.renewals = JobRunner.thread("millrace-load-lease");
        renewals.setKeepAliveTime(IDLE.toNanos(), TimeUnit.NANOSECONDS);
        renewals.allowCoreThreadTimeOut(true);
        // A load that begins while the application shuts down is stopped, so its lease needs no renewals.
        renewals.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
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
        LeaseRenewal renewal = new LeaseRenewal(
                () -> renew(held),
                run::loseLease,
                failure -> warn(run, "cannot renew the lease of the fleet, and tries again: " + failure));
        LoadRun ended = loadWhileRenewing(run, renewal);
        if (renewal.isLost() && !ended.isComplete() && !run.isStopped()) {
            warn(run, "has lost the lease of the fleet, and waits for the report of another instance");
            run.continueAfterLostLease();
            return Optional.empty();
        }
        finish(run, held, ended);
        return Optional.of(ended);
    }

    private LoadRun loadWhileRenewing(JobRun run, LeaseRenewal renewal) {
        long thirdNanos = lease.toNanos() / RENEWALS_PER_LEASE;
        ScheduledFuture<?> ticks;
        try {
            ticks = renewals.scheduleAtFixedRate(renewal::renew, thirdNanos, thirdNanos, TimeUnit.NANOSECONDS);
        } catch (Error withoutThread) { // the caller gives the lease back
            renewal.end();
            return run.failed(withoutThread);
        }
        try {
            return run.load();
        } finally {
            ticks.cancel(false);
            renewal.end();
        }
    }

    /** Returns false if another instance has the lease, or has loaded. */
    private boolean renew(FleetLease held) {
        return switch (client.call(held.renew().within(limit))) {
            case RENEWED -> true;
            case OF_ANOTHER -> false;
            // The server has lost the lease, or the lease ended because renewals failed. If this claim has no reply,
            // and the
            // load then fails, the other instances wait for one lease at most.
            case MISSING -> client.call(held.claim().within(limit)) instanceof FleetLease.Claim.Held;
        };
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

    /** Ends the thread of the renewals. */
    @Override
    public void close() {
        renewals.shutdownNow();
    }

    private static void warn(JobRun run, String text) {
        LOG.warn("the load job " + run.job().name() + " " + text);
    }
}
