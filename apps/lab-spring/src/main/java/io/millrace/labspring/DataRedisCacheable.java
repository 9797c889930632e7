// SPDX-License-Identifier: Apache-2.0
package io.millrace.labspring;

import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.frameworks.CachedCalls;
import io.millrace.labspring.CachedPrices.Price;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.serializer.JacksonJsonRedisSerializer;
import org.springframework.data.redis.serializer.RedisSerializationContext.SerializationPair;

/** The cache manager of Spring Data Redis. */
public record DataRedisCacheable(CachedCalls calls) implements Work {

    /** An application with the cached method. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = CachedPrices.DATA_SOURCE)
    @EnableCaching
    @Import(CachedPrices.class)
    static class DataRedisCaching {

        @Bean
        RedisCacheConfiguration jsonValues() {
            return RedisCacheConfiguration.defaultCacheConfig()
                    .entryTtl(Duration.ofHours(1))
                    .serializeValuesWith(
                            SerializationPair.fromSerializer(new JacksonJsonRedisSerializer<>(Price.class)));
        }
    }

    @Override
    public ReadyWork open(WorkContext context) {
        Map<String, Object> properties =
                Map.of("spring.cache.type", "redis", Application.EXCLUDE, Application.MILLRACE);
        return new CacheRounds(Application.start(DataRedisCaching.class, context.target(), properties), calls);
    }
}
