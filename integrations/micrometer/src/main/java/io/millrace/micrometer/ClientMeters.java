// SPDX-License-Identifier: Apache-2.0
package io.millrace.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.millrace.client.ClientOptions;
import io.millrace.client.CommandCounts;
import io.millrace.client.ConnectionStats;
import io.millrace.client.RedisClient;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The meters of a client. They read {@link RedisClient#stats} when a registry is scraped, so they cost nothing per
 * command. Thread-safe.
 *
 * <table>
 * <caption>Meters; each has the tag {@code client}, the name of the client</caption>
 * <tr><th>meter</th><th>meaning</th></tr>
 * <tr><td>{@code millrace.commands}</td><td>commands with an outcome; tag {@code outcome}: {@code ok}, {@code error},
 *     {@code timed_out}, {@code refused}, {@code lost}</td></tr>
 * <tr><td>{@code millrace.commands.pending}</td><td>commands without an outcome</td></tr>
 * <tr><td>{@code millrace.commands.inflight}</td><td>commands whose replies are awaited, including commands that have timed
 *     out</td></tr>
 * <tr><td>{@code millrace.commands.inflight.bytes}</td><td>the bytes of these commands</td></tr>
 * <tr><td>{@code millrace.commands.late}</td><td>replies that arrived after the outcome of their command</td></tr>
 * <tr><td>{@code millrace.commands.fused}</td><td>commands that were sent as part of a fused command</td></tr>
 * <tr><td>{@code millrace.connections}</td><td>connections; tag {@code state}: {@code open}, or {@code lost} for a
 *     connection that the client is replacing</td></tr>
 * <tr><td>{@code millrace.reconnections}</td><td>lost connections that were replaced</td></tr>
 * </table>
 */
public final class ClientMeters implements MeterBinder, AutoCloseable {

    private final RegisteredMeters<RedisClient> meters;

    /** Creates meters whose tag {@code client} is {@link ClientOptions#name}. Clients of one registry need different names. */
    public ClientMeters(RedisClient client) {
        this(client, List.of());
    }

    /** Creates meters with additional tags. */
    public ClientMeters(RedisClient client, Iterable<Tag> tags) {
        this.meters = new RegisteredMeters<>(
                client, Tags.of(tags).and("client", client.options().name()));
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        bindOutcomes(registry);
        bindInFlight(registry);
        meters.counter(
                registry,
                "millrace.commands.late",
                Tags.empty(),
                "Replies that arrived after the outcome of their command",
                client -> client.stats().lateReplies());
        meters.counter(
                registry,
                "millrace.commands.fused",
                Tags.empty(),
                "Commands that were sent as part of a fused command",
                client -> client.stats().fusion().commands());
        connections(registry, "open", true);
        connections(registry, "lost", false);
        meters.counter(
                registry,
                "millrace.reconnections",
                Tags.empty(),
                "Lost connections that were replaced",
                client -> client.stats().reconnections());
    }

    private void bindOutcomes(MeterRegistry registry) {
        outcome(registry, "ok", CommandCounts::ok);
        outcome(registry, "error", CommandCounts::error);
        outcome(registry, "timed_out", CommandCounts::timedOut);
        outcome(registry, "refused", CommandCounts::refused);
        outcome(registry, "lost", CommandCounts::lost);
    }

    private void outcome(MeterRegistry registry, String outcome, ToLongFunction<CommandCounts> count) {
        meters.counter(
                registry,
                "millrace.commands",
                Tags.of("outcome", outcome),
                "Commands by outcome",
                client -> count.applyAsLong(client.counts()));
    }

    private void bindInFlight(MeterRegistry registry) {
        meters.gauge(
                registry,
                "millrace.commands.pending",
                Tags.empty(),
                "",
                "Commands without an outcome",
                client -> client.counts().pending());
        meters.gauge(
                registry,
                "millrace.commands.inflight",
                Tags.empty(),
                "",
                "Commands whose replies are awaited",
                client -> sum(client, ConnectionStats::inFlight));
        meters.gauge(
                registry,
                "millrace.commands.inflight.bytes",
                Tags.empty(),
                "bytes",
                "Bytes of the commands whose replies are awaited",
                client -> sum(client, ConnectionStats::bytesInFlight));
    }

    private static long sum(RedisClient client, ToLongFunction<ConnectionStats> number) {
        return client.stats().connections().stream().mapToLong(number).sum();
    }

    private void connections(MeterRegistry registry, String state, boolean open) {
        meters.gauge(
                registry,
                "millrace.connections",
                Tags.of("state", state),
                "",
                "Connections by state",
                client -> sum(client, connection -> connection.open() == open ? 1 : 0));
    }

    /** Removes the meters from the registries to which they are bound. Does not close the client. */
    @Override
    public void close() {
        meters.removeAll();
    }
}
