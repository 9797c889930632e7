// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.tracing.Tracer;
import io.millrace.client.RedisClient;
import io.millrace.load.LoadEvent;
import io.millrace.micrometer.CacheMeters;
import io.millrace.micrometer.ClientMeters;
import io.millrace.micrometer.CommandSpans;
import io.millrace.micrometer.CommandTimers;
import io.millrace.micrometer.LoadMeters;
import java.util.function.Consumer;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The meters of the client, of the load jobs and of the caches, if there is a meter registry; and the timers and spans of
 * commands, if {@code millrace.observation} asks for them.
 */
@AutoConfiguration(
        after = MillraceClientAutoConfiguration.class,
        before = {MillraceLoadAutoConfiguration.class, MillraceCacheAutoConfiguration.class},
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.NoopTracerAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
final class MillraceMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnSingleCandidate(RedisClient.class)
    ClientMeters millraceClientMeters(RedisClient client) {
        return new ClientMeters(client);
    }

    @Bean
    @ConditionalOnMissingBean
    LoadMeters millraceLoadMeters(MeterRegistry registry) {
        return new LoadMeters(registry);
    }

    @Bean
    LoadObserver millraceLoadObserver(LoadMeters meters) {
        return new LoadObserver() {
            @Override
            public Consumer<LoadEvent> listener(String job) {
                return meters.job(job);
            }

            // A run with changed options is no success of the job, so that it does not hide a failed load.
            @Override
            public Consumer<LoadEvent> listener(String job, RunKind kind) {
                return kind == RunKind.CONFIGURED ? meters.job(job) : meters.changedJob(job);
            }

            @Override
            public void shared(LoadRun run) {
                meters.endedElsewhere(run.job(), run.report());
            }
        };
    }

    /** The meters of a cache stay in the registry until the registry ends, because caches live as long. */
    @Bean
    CacheObserver millraceCacheObserver(MeterRegistry registry) {
        return cache -> {
            @SuppressWarnings("resource") // see above
            CacheMeters meters = new CacheMeters(cache);
            meters.bindTo(registry);
        };
    }

    @Bean
    @ConditionalOnProperty(name = "millrace.observation", havingValue = "timers")
    ListenerFactory millraceCommandTimers(MeterRegistry registry) {
        return uri -> new CommandTimers(registry, uri);
    }

    /** Timers and spans, if there is a tracer. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Tracer.class)
    @ConditionalOnBean(Tracer.class)
    @ConditionalOnProperty(name = "millrace.observation", havingValue = "spans")
    static final class Spans {

        @Bean
        ListenerFactory millraceCommandSpans(MeterRegistry registry, Tracer tracer) {
            return uri -> new CommandTimers(registry, uri).andThen(new CommandSpans(tracer, uri));
        }
    }
}
