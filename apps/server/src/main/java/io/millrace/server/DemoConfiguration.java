// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import io.millrace.client.RedisUri;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import io.millrace.load.source.GeneratedSource;
import io.millrace.load.target.HashTarget;
import io.millrace.spring.MillraceConnectionDetails;
import java.util.Optional;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;

/** The demonstration: a private Redis that ends with the server, and two jobs of generated rows. */
@Configuration(proxyBeanMethods = false)
@Profile(DemoConfiguration.PROFILE)
class DemoConfiguration {

    static final String PROFILE = "demo";

    private static final long CUSTOMERS = 1_000_000;
    private static final long SAMPLE = 10_000;
    private static final long SEED = 1;

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

    private static LoadPlan plan(long rows) {
        return new LoadPlan(
                GeneratedSource.customers(rows, SEED), HashTarget.of("customer:{id}"), LoadOptions.defaults());
    }
}
