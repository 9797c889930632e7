// SPDX-License-Identifier: Apache-2.0
package io.millrace.vertx;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.metrics.ClientMetrics;
import io.vertx.core.spi.metrics.VertxMetrics;
import io.vertx.core.spi.tracing.VertxTracer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reports commands to the metrics and to the tracer of Vert.x.
 *
 * @param metrics null if Vert.x has no metrics of clients
 * @param tracer null if Vert.x has no tracer
 * @param attributes attributes of each span that are the same for all commands
 */
@SuppressWarnings("unchecked") // the types of metrics and traces are known only to their implementations
record CommandReports(
        @Nullable ClientMetrics<@Nullable Object, String, @Nullable Object> metrics,
        @Nullable VertxTracer<?, @Nullable Object> tracer,
        List<Map.Entry<String, String>> attributes) {

    /** Returns null if Vert.x has neither metrics nor a tracer. A client without reports has no cost for them. */
    static @Nullable CommandReports of(VertxInternal vertx, ClientOptions options) {
        VertxMetrics all = vertx.metrics();
        ClientMetrics<?, ?, ?> metrics =
                all == null ? null : all.createClientMetrics(address(options.uri()), "redis", options.name());
        VertxTracer<?, ?> tracer = VertxTracer.NOOP.equals(vertx.tracer()) ? null : vertx.tracer();
        if (metrics == null && tracer == null) {
            return null;
        }
        return new CommandReports(
                (ClientMetrics<@Nullable Object, String, @Nullable Object>) metrics,
                (VertxTracer<?, @Nullable Object>) tracer,
                attributes(options.uri()));
    }

    private static SocketAddress address(RedisUri uri) {
        return switch (uri.endpoint()) {
            case RedisUri.Tcp tcp -> address(tcp);
            case RedisUri.Unix unix ->
                SocketAddress.domainSocketAddress(unix.path().toString());
            case RedisUri.Sentinels sentinels -> address(sentinels.addresses().getFirst());
            case RedisUri.Cluster cluster -> address(cluster.nodes().getFirst());
        };
    }

    private static SocketAddress address(RedisUri.Tcp tcp) {
        return SocketAddress.inetSocketAddress(tcp.port(), tcp.host());
    }

    private static List<Map.Entry<String, String>> attributes(RedisUri uri) {
        Map.Entry<String, String> system = Map.entry("db.system.name", "redis");
        Map.Entry<String, String> namespace = Map.entry("db.namespace", Integer.toString(uri.database()));
        return switch (uri.endpoint()) {
            case RedisUri.Tcp tcp -> attributes(system, namespace, tcp);
            case RedisUri.Cluster cluster ->
                attributes(system, namespace, cluster.nodes().getFirst());
            case RedisUri.Unix unix ->
                List.of(
                        system,
                        namespace,
                        Map.entry("server.address", unix.path().toString()));
            case RedisUri.Sentinels sentinels ->
                List.of(system, namespace, Map.entry("server.address", sentinels.primary()));
        };
    }

    private static List<Map.Entry<String, String>> attributes(
            Map.Entry<String, String> system, Map.Entry<String, String> namespace, RedisUri.Tcp tcp) {
        return List.of(
                system,
                namespace,
                Map.entry("server.address", tcp.host()),
                Map.entry("server.port", Integer.toString(tcp.port())));
    }

    /** Reports the start of a command on {@code context}. */
    CommandReport begin(ContextInternal context, String name) {
        CommandReport report = new CommandReport(this, context, name);
        report.begin();
        return report;
    }

    void close() {
        if (metrics != null) {
            metrics.close();
        }
    }
}
