// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import io.millrace.bitmap.Activity;
import io.millrace.bitmap.ActivityOptions;
import io.millrace.bitmap.Mark;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import io.millrace.load.source.GeneratedSource;
import io.millrace.load.target.HashTarget;
import io.millrace.spring.MillraceConnectionDetails;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;

/** The demonstration: a private Redis that ends with the server, two jobs of generated rows, and an activity. */
@Configuration(proxyBeanMethods = false)
@Profile(DemoConfiguration.PROFILE)
class DemoConfiguration {

    static final String PROFILE = "demo";

    private static final long CUSTOMERS = 1_000_000;
    private static final long SAMPLE = 10_000;
    private static final long SEED = 1;
    private static final int VISITORS = 2_000;
    private static final int DAYS = 14;

    @Bean(destroyMethod = "close")
    EmbeddedRedis demoRedis() {
        return EmbeddedRedis.start();
    }

    @Bean
    MillraceConnectionDetails demoConnection(EmbeddedRedis redis) {
        RedisUri uri = RedisUri.parse(redis.uri());
        return new MillraceConnectionDetails() {
            @Override
            public RedisUri uri() {
                return uri;
            }

            @Override
            public Optional<SslBundle> sslBundle() {
                return Optional.empty();
            }
        };
    }

    @Bean
    LoadPlan customers() {
        return plan(CUSTOMERS);
    }

    @Bean
    LoadPlan sample() {
        return plan(SAMPLE);
    }

    /** Two weeks of visits. Some ids come back on later days. */
    @Bean
    ApplicationRunner demoVisits(RedisClient client) {
        return arguments -> {
            Activity activity = Activity.of(client, "demo", ActivityOptions.keptFor(Duration.ofDays(400)));
            Random random = new Random(SEED);
            LocalDate today = LocalDate.now(ZoneOffset.UTC);
            List<Mark> visits = new ArrayList<>();
            for (int id = 0; id < VISITORS; id++) {
                double loyalty = random.nextDouble();
                for (int daysAgo = random.nextInt(DAYS); daysAgo >= 0; daysAgo--) {
                    visits.add(Mark.on(id, today.minusDays(daysAgo)));
                    daysAgo -= random.nextDouble() < loyalty ? 0 : random.nextInt(DAYS);
                }
            }
            var unused = activity.mark("visit", visits);
        };
    }

    private static LoadPlan plan(long rows) {
        return new LoadPlan(
                GeneratedSource.customers(rows, SEED), HashTarget.of("customer:{id}"), LoadOptions.defaults());
    }
}
