// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.ClientOptions;
import io.millrace.client.CommandHistograms;
import io.millrace.client.CommandLatencies;
import io.millrace.client.CommandListener;
import io.millrace.client.EndedCommand;
import io.millrace.client.Outcome;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Strings;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Measures the latency of commands, and records each command as a span of a trace. */
public final class CommandMetrics {

    private static final String COUNTER = "example:metrics";

    private CommandMetrics() {}

    public static void main(String[] args) {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        System.out.println(measure(uri));
        Spans spans = new Spans();
        trace(uri, spans);
        spans.ended.forEach(System.out::println);
    }

    /** Counts to 1,000. Returns the number of commands in this interval, and their latencies. */
    static String measure(String uri) {
        // snippet: histograms
        CommandHistograms histograms = new CommandHistograms();
        ClientOptions options = ClientOptions.builder(RedisUri.parse(uri))
                .commandListener(histograms)
                .build();
        try (RedisClient client = RedisClient.connect(options)) {
            CommandHistograms.Snapshot before = histograms.snapshot();
            for (int i = 0; i < 1_000; i++) {
                client.call(Strings.increment(COUNTER));
            }
            // A metrics job compares two snapshots, for example every ten seconds.
            CommandLatencies increments = histograms.snapshot().since(before).of("INCRBY");
            client.call(Keys.delete(COUNTER));
            return "commands: %d, 99 %% within %s, of which on the wire %s"
                    .formatted(
                            increments.count(EndedCommand.Kind.OK),
                            increments.fromSubmission().percentile(99),
                            increments.fromSending().percentile(99));
        }
        // end
    }

    // snippet: spans
    /** Makes a span of each command. A real listener would use a tracing library in the same places. */
    static final class Spans implements CommandListener {

        record Span(String name, Thread parent) {}

        final Queue<String> ended = new ConcurrentLinkedQueue<>();

        @Override
        public Object submitted(String name) {
            // The submitting thread calls this method, so the current span of the thread is the parent.
            return new Span(name, Thread.currentThread());
        }

        @Override
        public void ended(EndedCommand command) {
            if (command.context() instanceof Span span) {
                String detail = command.outcome()
                        .map(outcome -> switch (outcome) {
                            case Outcome.Failed failed -> failed.error().message();
                            case Outcome.Lost lost -> lost.cause() + ", may be executed: " + lost.maybeExecuted();
                            case Outcome.Ok ok -> "";
                            case Outcome.TimedOut timedOut -> "";
                            case Outcome.Refused refused -> "";
                        })
                        .orElse("");
                ended.add("%s %s in %s %s".formatted(span.name, command.kind(), span.parent.getName(), detail));
            }
        }
    }
    // end

    static void trace(String uri, CommandListener spans) {
        ClientOptions options = ClientOptions.builder(RedisUri.parse(uri))
                .commandListener(spans)
                .build();
        try (RedisClient client = RedisClient.connect(options)) {
            client.call(Strings.set(COUNTER, "text"));
            client.send(Strings.increment(COUNTER)).exceptionally(e -> -1L).join();
            client.call(Keys.delete(COUNTER));
            client.call(Command.of("PING"));
        }
    }
}
