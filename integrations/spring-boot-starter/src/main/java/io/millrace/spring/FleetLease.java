// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.command.Replies;
import io.millrace.client.command.Script;
import io.millrace.client.command.ScriptCall;
import io.millrace.client.command.Scripts;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * The lease of one run of a job, and the report of the last load of the fleet. Two keys with a common hash tag:
 *
 * <pre>
 *   millrace:load:{job}:lease    string: the token of the loader, with an expiry
 *   millrace:load:{job}:report   hash: plan, report; expires after the time of once-per
 * </pre>
 */
final class FleetLease {

    /**
     * A Lua function that returns the error of a command with its code first, such as {@code READONLY}. Redis before 7.0 puts
     * the place in the script before some errors: {@code @user_script: 4: -READONLY You can't write …}. And an error of {@code
     * redis.call} has the code {@code ERR} there, so a script with this function uses {@code redis.pcall}.
     */
    static final String WITH_CODE_FIRST = """
            local function with_code_first(failed)
              return {err = string.match(failed.err, '^@user_script: %d+: %-(.*)$') or failed.err}
            end
            """;

    /**
     * Returns the report of this plan if there is one. Otherwise takes the lease if it is free. A repeated claim with the
     * same token succeeds, because the reply to the first claim may have been lost. If the server refuses a write, the error
     * reply has the code of this write. Keys: lease, report. Arguments: token, plan, milliseconds.
     */
    private static final Script CLAIM = Script.of(WITH_CODE_FIRST + """
            local found = redis.call('HMGET', KEYS[2], 'plan', 'report')
            if found[1] == ARGV[2] then return {'loaded', found[2]} end
            local written
            if redis.call('GET', KEYS[1]) == ARGV[1] then
              written = redis.pcall('PEXPIRE', KEYS[1], ARGV[3])
            else
              written = redis.pcall('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[3])
            end
            if not written then return {'taken', ''} end
            if type(written) == 'table' and written.err then return with_code_first(written) end
            return {'held', ''}
            """);

    /**
     * Renews the lease, also if the server has lost it. Returns 0 if another instance has it, or has loaded: a claim does
     * not succeed while there is a report of this plan, so such a report is newer than the claim. Keys: lease, report.
     * Arguments: token, plan, milliseconds.
     */
    private static final Script RENEW = Script.of("""
            local holder = redis.call('GET', KEYS[1])
            if holder and holder ~= ARGV[1] then return 0 end
            if redis.call('HGET', KEYS[2], 'plan') == ARGV[2] then return 0 end
            redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
            return 1
            """);

    /** Stores the report and releases the lease. Returns 0 if another instance has the lease. */
    private static final Script FINISH = Script.of("""
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            redis.call('HSET', KEYS[2], 'plan', ARGV[2], 'report', ARGV[3])
            redis.call('PEXPIRE', KEYS[2], ARGV[4])
            return redis.call('DEL', KEYS[1])
            """);

    private static final Script RELEASE = Script.of("""
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            return redis.call('DEL', KEYS[1])
            """);

    /** The answer to a claim. */
    sealed interface Claim {

        /** The fleet has loaded this plan. */
        record Loaded(String report) implements Claim {}

        /** This run has the lease. */
        record Held() implements Claim {}

        /** Another run has the lease. */
        record Taken() implements Claim {}
    }

    private final LoadJob job;
    private final Duration lease;
    private final String token = UUID.randomUUID().toString();
    private final List<String> keys;

    FleetLease(LoadJob job, Duration lease) {
        this.job = job;
        this.lease = lease;
        String prefix = "millrace:load:{" + job.name() + "}:";
        this.keys = List.of(prefix + "lease", prefix + "report");
    }

    ScriptCall<Claim> claim() {
        return Scripts.run(CLAIM, keys, List.of(token, job.planDigest(), lease.toMillis()))
                .as(FleetLease::claim);
    }

    /** The reply is false if another instance has the lease, or has loaded this plan. */
    ScriptCall<Boolean> renew() {
        return Scripts.run(RENEW, keys, List.of(token, job.planDigest(), lease.toMillis()))
                .as(Replies::flag);
    }

    /** The reply is false if another instance has the lease. */
    ScriptCall<Boolean> finish(String report) {
        return Scripts.run(
                        FINISH,
                        keys,
                        List.of(token, job.planDigest(), report, job.oncePer().toMillis()))
                .as(Replies::flag);
    }

    ScriptCall<Boolean> release() {
        return Scripts.run(RELEASE, keys.subList(0, 1), List.of(token)).as(Replies::flag);
    }

    private static Claim claim(Reply reply) {
        List<Reply> items = Replies.items(reply);
        return switch (Replies.text(items.getFirst())) {
            case "loaded" -> new Claim.Loaded(Replies.text(items.getLast()));
            case "held" -> new Claim.Held();
            default -> new Claim.Taken();
        };
    }
}
