// SPDX-License-Identifier: Apache-2.0
package io.millrace.vertx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.metrics.MetricsOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.VertxMetricsFactory;
import io.vertx.core.spi.VertxTracerFactory;
import io.vertx.core.spi.metrics.ClientMetrics;
import io.vertx.core.spi.metrics.VertxMetrics;
import io.vertx.core.spi.tracing.SpanKind;
import io.vertx.core.spi.tracing.TagExtractor;
import io.vertx.core.spi.tracing.VertxTracer;
import io.vertx.core.tracing.TracingOptions;
import io.vertx.core.tracing.TracingPolicy;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests what the metrics and the tracer of Vert.x receive. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CommandReportsTest {

    @RegisterExtension
    final TestVertx test = new TestVertx();

    private final EmbeddedRedis server = EmbeddedRedis.start();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final List<Context> contexts = new CopyOnWriteArrayList<>();

    @AfterEach
    void stopServer() {
        server.close();
    }

    private VertxRedis connect(Vertx vertx) throws Exception {
        test.use(vertx);
        return test.onEventLoop(() -> VertxRedis.connect(
                vertx, TestVertx.options(TestVertx.uri(server)).build()));
    }

    /** Runs two commands. The second one fails. */
    private void runTwo(VertxRedis redis) throws Exception {
        test.onEventLoop(() -> redis.send(Strings.set("marked-key", "marked-value")));
        Throwable failure =
                catchThrowable(() -> test.onEventLoop(() -> redis.send(Lists.pushRight("marked-key", "marked-value"))));
        assertThat(failure).hasMessageContaining("WRONGTYPE");
    }

    private VertxMetricsFactory metrics() {
        ClientMetrics<Integer, Object, Object> client = new ClientMetrics<>() {
            private int started;

            @Override
            public Integer init() {
                return ++started;
            }

            @Override
            public void requestBegin(Integer metric, String uri, Object request) {
                events.add("begin " + metric + " " + uri);
            }

            @Override
            public void requestEnd(Integer metric) {
                events.add("sent " + metric);
            }

            @Override
            public void responseEnd(Integer metric) {
                events.add("end " + metric);
            }

            @Override
            public void requestReset(Integer metric) {
                events.add("reset " + metric);
            }

            @Override
            public void close() {
                events.add("close");
            }
        };
        return new VertxMetricsFactory() {
            @Override
            public VertxMetrics metrics(io.vertx.core.VertxOptions options) {
                return new VertxMetrics() {
                    @Override
                    public ClientMetrics<?, ?, ?> createClientMetrics(
                            SocketAddress address, String type, String namespace) {
                        events.add(type + " " + namespace + " " + address.port());
                        return client;
                    }
                };
            }
        };
    }

    private VertxTracerFactory tracer() {
        VertxTracer<Object, Object> tracer = new VertxTracer<>() {
            @Override
            public <R> Object sendRequest(
                    Context context,
                    SpanKind kind,
                    TracingPolicy policy,
                    R request,
                    String operation,
                    BiConsumer<String, String> headers,
                    TagExtractor<R> tags) {
                contexts.add(context);
                events.add("span " + operation + " " + new TreeMap<>(tags.extract(request)));
                return operation;
            }

            @Override
            public <R> void receiveResponse(
                    Context context,
                    @Nullable R response,
                    Object span,
                    @Nullable Throwable failure,
                    TagExtractor<R> tags) {
                Map<String, String> found = response == null ? Map.of() : tags.extract(response);
                events.add("ended " + span + " " + new TreeMap<>(found) + " " + failure);
            }
        };
        return new VertxTracerFactory() {
            @Override
            public VertxTracer<?, ?> tracer(TracingOptions options) {
                return tracer;
            }
        };
    }

    @Test
    void metricsReceiveEachCommandByItsName() throws Exception {
        io.vertx.core.VertxOptions options =
                TestVertx.options().setMetricsOptions(new MetricsOptions().setEnabled(true));
        VertxRedis redis =
                connect(Vertx.builder().with(options).withMetrics(metrics()).build());

        runTwo(redis);
        test.onEventLoop(() -> redis.pipeline(List.of(Strings.get("marked-key"), Strings.get("marked-key"))));
        test.onEventLoop(() -> redis.transaction(List.<Command<String>>of(Strings.set("a", "b"))));
        TestVertx.await(redis.close());

        assertThat(events)
                .containsSequence("redis millrace " + server.port(), "begin 1 SET", "sent 1", "end 1")
                .containsSequence("begin 2 RPUSH", "sent 2", "reset 2")
                .containsSequence("begin 3 GET", "sent 3", "begin 4 GET", "sent 4", "end 3", "end 4")
                .containsSequence("begin 5 EXEC", "sent 5", "end 5", "close");
    }

    @Test
    void tracerReceivesASpanForEachCommandWithoutKeysAndValues() throws Exception {
        VertxRedis redis = connect(Vertx.builder()
                .with(TestVertx.options().setTracingOptions(new TracingOptions()))
                .withTracer(tracer())
                .build());

        runTwo(redis);

        String attributes = "db.namespace=0, db.operation.name=%s, db.system.name=redis, server.address="
                + server.host() + ", server.port=" + server.port();
        assertThat(events)
                .containsExactly(
                        "span SET {" + attributes.formatted("SET") + "}",
                        "ended SET {} null",
                        "span RPUSH {" + attributes.formatted("RPUSH") + "}",
                        "ended RPUSH {db.response.status_code=WRONGTYPE, error.type=WRONGTYPE} "
                                + "io.millrace.vertx.CommandReport$CommandFailure: WRONGTYPE");
        assertThat(events).noneMatch(event -> event.contains("marked"));
    }

    @Test
    void spanBelongsToTheDuplicatedContextOfItsCaller() throws Exception {
        VertxRedis redis = connect(Vertx.builder()
                .with(TestVertx.options().setTracingOptions(new TracingOptions()))
                .withTracer(tracer())
                .build());
        ContextInternal duplicate = ((ContextInternal) test.vertx().getOrCreateContext()).duplicate();

        TestVertx.on(duplicate, () -> redis.send(Strings.get("k")));

        assertThat(contexts).containsExactly(duplicate);
    }

    @Test
    void rejectedCommandEndsItsReport() throws Exception {
        VertxRedis redis = connect(Vertx.builder()
                .with(TestVertx.options().setTracingOptions(new TracingOptions()))
                .withTracer(tracer())
                .build());

        Throwable failure =
                catchThrowable(() -> test.onEventLoop(() -> (Future<?>) redis.send(Command.of("WATCH", "k"))));

        assertThat(failure).isInstanceOf(IllegalArgumentException.class);
        assertThat(events).hasSize(2);
        assertThat(events.get(1)).contains("error.type=IllegalArgumentException");
    }
}
