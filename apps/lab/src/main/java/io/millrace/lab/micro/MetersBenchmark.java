// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.micro;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.client.CommandListener;
import io.millrace.client.RedisUri;
import io.millrace.micrometer.CommandTimers;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Calls {@link CommandTimers} as the client does for each command. The other meters do nothing per command: they read the
 * stats of the client when a registry is scraped. All threads share the timers.
 */
public class MetersBenchmark {

    /** The timers of all threads. */
    @State(Scope.Benchmark)
    public static class Timers {

        private final CommandListener timers =
                new CommandTimers(new SimpleMeterRegistry(), RedisUri.of("localhost", 6379));
    }

    /** The latencies are between 10 µs and 10 ms. */
    @Benchmark
    public void timers(Timers timers, ListenerBenchmark.Commands commands, Blackhole blackhole) {
        var command = commands.next();
        blackhole.consume(timers.timers.submitted(command.name()));
        timers.timers.ended(command);
    }
}
