// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Script;
import io.millrace.client.command.Scripts;
import io.millrace.client.exception.RefusedException;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs the scripts that renew the lease of a worker. Each script has a time limit that follows from the lease, and runs
 * on a dedicated connection. So neither acknowledgements nor other commands of the client can hold up a renewal. Only the
 * first renewal, at the start of the worker, runs on a shared connection: the worker holds no jobs yet, and the waits of
 * other workers may occupy all dedicated connections. Thread-safe.
 */
final class RenewalCalls {

    private static final Duration MIN_LIMIT = Duration.ofMillis(50);
    private static final Duration MAX_LIMIT = Duration.ofSeconds(10);

    /** The client runs a command that the server may block on a dedicated connection. The script does not block. */
    private static final Duration DEDICATED = Duration.ofMillis(1);

    private final RedisClient client;
    private final DedicatedCalls dedicatedCalls;
    private final Duration limit;
    private final AtomicBoolean first = new AtomicBoolean(true);

    RenewalCalls(RedisClient client, DedicatedCalls dedicatedCalls, Duration lease) {
        this.client = client;
        this.dedicatedCalls = dedicatedCalls;
        this.limit = limit(lease);
    }

    /** Returns the time limit of one renewal: a sixth of the lease, 50 ms to 10 s. */
    static Duration limit(Duration lease) {
        Duration part = lease.dividedBy(6);
        if (part.compareTo(MIN_LIMIT) < 0) {
            return MIN_LIMIT;
        }
        return part.compareTo(MAX_LIMIT) > 0 ? MAX_LIMIT : part;
    }

    Reply call(Script script, List<?> keys, List<?> arguments) {
        Command<Reply> command = Scripts.eval(script, keys, arguments).within(limit);
        if (first.getAndSet(false)) {
            return client.call(command);
        }
        try {
            return client.call(command.blockingFor(DEDICATED));
        } catch (RefusedException e) { // other callers use all dedicated connections
            dedicatedCalls.noFreeConnection();
            return client.call(command);
        }
    }
}
