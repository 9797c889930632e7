// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.micrometer.tracing.Tracer;
import io.millrace.cache.Cache;
import io.millrace.cache.CacheOptions;
import io.millrace.client.ClientOptions;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Keys;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import io.millrace.load.LoadReport;
import io.millrace.load.Loader;
import io.millrace.load.source.GeneratedSource;
import io.millrace.load.target.HashTarget;
import io.millrace.micrometer.CacheMeters;
import io.millrace.micrometer.ClientMeters;
import io.millrace.micrometer.CommandSpans;
import io.millrace.micrometer.CommandTimers;
import io.millrace.micrometer.LoadMeters;
import java.util.List;

/** Meters of a client, a cache and a load in the text of Prometheus, with timers and spans of the commands. */
public final class ServiceMetrics {

    private static final List<String> SHOWN =
            List.of("millrace_commands_total", "cache_gets_total", "millrace_load_rows_total");

    private ServiceMetrics() {}

    public static void main(String[] args) {
        RedisUri uri = RedisUri.parse(args.length == 0 ? "redis://127.0.0.1:6379" : args[0]);
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        Tracer tracer = Tracer.NOOP; // an application has the tracer of OpenTelemetry or Brave
        load(ClientOptions.of(uri), prometheus);
        // snippet: client-meters
        try (RedisClient client = RedisClient.connect(observed(uri, prometheus, tracer))) {
            new ClientMeters(client).bindTo(prometheus);
            // end
            lookUp(client, prometheus);
            client.call(Keys.delete("example:metrics:home"));
            prometheus
                    .scrape()
                    .lines()
                    .filter(line -> SHOWN.stream().anyMatch(line::startsWith))
                    .forEach(System.out::println);
        }
    }

    /** Returns options for a client whose commands have timers and spans. */
    private static ClientOptions observed(RedisUri uri, MeterRegistry registry, Tracer tracer) {
        // snippet: timers-and-spans
        CommandTimers timers = new CommandTimers(registry, uri);
        CommandSpans spans = new CommandSpans(tracer, uri);
        return ClientOptions.builder(uri)
                .name("shop") // the tag `client` of the meters
                .commandListener(timers.andThen(spans)) // leave out what you do not need
                .build();
        // end
    }

    private static void lookUp(RedisClient client, MeterRegistry registry) {
        // snippet: cache-meters
        try (Cache<String> pages = Cache.of(client, "example:metrics", Codec.text(), CacheOptions.defaults())) {
            new CacheMeters(pages).bindTo(registry);
            // end
            for (int i = 0; i < 10; i++) {
                System.out.println(pages.getOnCallerThread("home", key -> "a slow page"));
            }
        }
    }

    private static void load(ClientOptions options, MeterRegistry registry) {
        LoadOptions dryRun = LoadOptions.builder().dryRun().build(); // so that this example leaves no keys
        LoadPlan plan = new LoadPlan(GeneratedSource.customers(1_000, 1), HashTarget.of("customer:{id}"), dryRun);
        // snippet: load-meters
        LoadMeters loads = new LoadMeters(registry);
        LoadReport report = new Loader(options).run(plan, loads.job("customers"));
        // end
        System.out.println(report.summary());
    }
}
