// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.client.ClientOptions;
import io.millrace.client.CommandCounts;
import io.millrace.client.Overflow;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Strings;
import io.millrace.lab.workload.RepeatedSets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * A program that sends as fast as it can and never looks at a future. Arguments: host, port, milliseconds, {@link Overflow},
 * commands in flight at most. Prints its account in one line of {@code name=value}. Ends with 1 unless every command it sent has an outcome that is OK or,
 * where the excess is to be refused, refused.
 */
@SuppressWarnings("FutureReturnValueIgnored") // that is what it does
public final class FireAndForget {

    private static final Duration LAST_OUTCOME = Duration.ofSeconds(20);
    private static final Duration LOOK_EVERY = Duration.ofMillis(1);

    /** To time a refusal costs several times as much as the refusal: one in so many is timed. */
    private static final int TIMED_EVERY = 64;

    private final RedisClient client;
    private final RepeatedSets sets = new RepeatedSets();
    private final NanosHistogram refusals = new NanosHistogram();
    private long sent;

    private FireAndForget(RedisClient client) {
        this.client = client;
    }

    public static void main(String[] args) {
        var overflow = Overflow.valueOf(args[3]);
        var options = ClientOptions.builder(RedisUri.of(args[0], Integer.parseInt(args[1])))
                .connectTimeout(Duration.ofSeconds(30))
                .connections(1)
                .inFlight(Integer.parseInt(args[4]))
                .overflow(overflow)
                .build();
        boolean right;
        try (var client = RedisClient.connect(options)) {
            right = new FireAndForget(client).run(Duration.ofMillis(Long.parseLong(args[2])), overflow);
        }
        System.exit(right ? 0 : 1);
    }

    private boolean run(Duration time, Overflow overflow) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < time.toNanos()) {
            for (int i = 1; i < TIMED_EVERY; i++) {
                send();
            }
            sendTimed();
        }
        var counts = settledCounts();
        double seconds = (System.nanoTime() - start) / 1e9;
        System.gc(); // or a short run might end before its first collection, and nobody would know its heap
        var fused = client.stats().fusion();
        System.out.println(String.format(
                Locale.ROOT,
                "submitted=%d ok=%d error=%d timedOut=%d refused=%d lost=%d pending=%d"
                        + " fusedCommands=%d fusedRuns=%d seconds=%.3f refusalNanos=%d refusalNanos99=%d",
                counts.submitted(),
                counts.ok(),
                counts.error(),
                counts.timedOut(),
                counts.refused(),
                counts.lost(),
                counts.pending(),
                fused.commands(),
                fused.fusedBatches(),
                seconds,
                refusals.quantile(0.5),
                refusals.quantile(0.99)));
        long refused = overflow == Overflow.REFUSE ? counts.refused() : 0;
        return counts.submitted() == sent && counts.ok() + refused == sent;
    }

    private void send() {
        client.send(Strings.set(sets.key(sent), sets.value(sent)));
        sent++;
    }

    /** Nobody else sends: if there is one refusal more afterwards, it was this one. */
    private void sendTimed() {
        var command = Strings.set(sets.key(sent), sets.value(sent));
        long refusedBefore = client.counts().refused();
        long start = System.nanoTime();
        client.send(command);
        long nanos = System.nanoTime() - start;
        sent++;
        if (client.counts().refused() > refusedBefore) {
            refusals.add(nanos);
        }
    }

    /** The counts when nothing is pending any more, or after {@link #LAST_OUTCOME}. */
    private CommandCounts settledCounts() {
        long start = System.nanoTime();
        var counts = client.counts();
        while (counts.pending() > 0 && System.nanoTime() - start < LAST_OUTCOME.toNanos()) {
            LockSupport.parkNanos(LOOK_EVERY.toNanos());
            counts = client.counts();
        }
        return counts;
    }
}
