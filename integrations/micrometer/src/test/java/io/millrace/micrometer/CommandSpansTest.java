// SPDX-License-Identifier: Apache-2.0
package io.millrace.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Strings;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The spans of commands, read from the exporter of OpenTelemetry. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CommandSpansTest {

    private static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");
    private static final AttributeKey<String> STATUS_CODE = AttributeKey.stringKey("db.response.status_code");

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final SdkTracerProvider provider = provider(Sampler.alwaysOn());
    private final Tracer tracer = tracer(provider);

    private SdkTracerProvider provider(Sampler sampler) {
        return SdkTracerProvider.builder()
                .setSampler(sampler)
                .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                .build();
    }

    private static Tracer tracer(SdkTracerProvider provider) {
        return new OtelTracer(provider.get("millrace"), new OtelCurrentTraceContext(), event -> {});
    }

    @AfterEach
    void closeProvider() {
        provider.close();
    }

    private RedisClient client() {
        return SERVER.client(options -> options.commandListener(new CommandSpans(tracer, SERVER.uri())));
    }

    private List<SpanData> spans() {
        return exporter.getFinishedSpanItems();
    }

    @Test
    void commandIsAClientSpanBelowTheCurrentSpanOfItsCaller() throws Exception {
        RedisClient client = client();
        Span request = tracer.nextSpan().name("GET /orders").start();

        try (Tracer.SpanInScope scope = tracer.withSpan(request)) {
            client.call(Strings.set("secret-key", "secret-value"));
            var unused = client.send(Strings.get("secret-key")).get(60, TimeUnit.SECONDS);
        }
        request.end();

        Eventually.is("all spans have ended", 3, () -> spans().size());
        assertThat(spans())
                .filteredOn(span -> span.getKind() == SpanKind.CLIENT)
                .hasSize(2)
                .allSatisfy(span -> {
                    assertThat(span.getTraceId()).isEqualTo(request.context().traceId());
                    assertThat(span.getParentSpanId())
                            .isEqualTo(request.context().spanId());
                    assertThat(span.getStatus().getStatusCode()).isNotEqualTo(StatusCode.ERROR);
                    assertThat(span.getAttributes().asMap())
                            .isEqualTo(attributes(span.getName()).asMap());
                    assertThat(span.getEvents()).isEmpty();
                })
                .extracting(SpanData::getName)
                .containsExactlyInAnyOrder("SET", "GET");
        assertThat(spans().toString()).doesNotContain("secret");
    }

    private static Attributes attributes(String operation) {
        return Attributes.builder()
                .put("db.system.name", "redis")
                .put("db.operation.name", operation)
                .put("db.namespace", "0")
                .put("server.address", "127.0.0.1")
                .put("server.port", SERVER.server().port())
                .build();
    }

    @Test
    void failedCommandHasTheCodeOfItsErrorWithoutTheMessage() {
        RedisClient client = client();
        client.call(Strings.set("secret-key", "secret-value"));

        Throwable wrongType = catchThrowable(() -> client.call(Lists.size("secret-key")));
        SERVER.server().pause();
        Throwable timedOut =
                catchThrowable(() -> client.call(Strings.get("secret-key").within(Duration.ofMillis(20))));
        SERVER.server().resume();

        assertThat(List.of(wrongType, timedOut)).doesNotContainNull();
        SpanData failed = span("LLEN");
        assertThat(failed.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(failed.getAttributes().get(ERROR_TYPE)).isEqualTo("WRONGTYPE");
        assertThat(failed.getAttributes().get(STATUS_CODE)).isEqualTo("WRONGTYPE");
        assertThat(failed.getParentSpanId()).isEqualTo(SpanId.getInvalid());
        SpanData late = span("GET");
        assertThat(late.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(late.getAttributes().get(ERROR_TYPE)).isEqualTo("timed_out");
        assertThat(late.getAttributes().get(STATUS_CODE)).isNull();
        assertThat(spans().toString()).doesNotContain("secret").doesNotContain("Operation against");
    }

    private SpanData span(String name) {
        return spans().stream()
                .filter(span -> span.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void timersAndSpansCanBeCombined() {
        Scrape scrape = new Scrape();
        RedisClient client = SERVER.client(options -> options.commandListener(
                new CommandTimers(scrape.meters, SERVER.uri()).andThen(new CommandSpans(tracer, SERVER.uri()))));

        client.call(Strings.set("key", "value"));

        assertThat(spans()).hasSize(1);
        assertThat(scrape.value("db_client_operation_duration_seconds_count{")).isEqualTo(1);
    }

    @Test
    void commandThatIsNotSampledIsNotExported() {
        try (SdkTracerProvider never = provider(Sampler.alwaysOff())) {
            RedisClient client =
                    SERVER.client(options -> options.commandListener(new CommandSpans(tracer(never), SERVER.uri())));

            client.call(Strings.set("key", "value"));
            Throwable failure = catchThrowable(() -> client.call(Lists.size("key")));

            assertThat(failure).isNotNull();
            assertThat(spans()).isEmpty();
            assertThat(client.stats().listenerFailures()).isZero();
        }
    }
}
