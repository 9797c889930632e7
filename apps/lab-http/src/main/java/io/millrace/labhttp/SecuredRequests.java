// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import io.millrace.lab.bulk.Connections;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.frameworks.HttpRequests;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.serializer.RedisSerializationContext.SerializationPair;
import org.springframework.data.redis.serializer.RedisSerializer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Requests to an application with Spring Security, actuator, and a cached method over Spring Data Redis. */
public record SecuredRequests(HttpRequests requests) implements Work {

    /**
     * What the application leaves out: the client of Millrace's starter, without which the starter configures nothing; a
     * database; and a user with a generated password, which Spring Boot would log.
     */
    private static final String WITHOUT = """
            io.millrace.spring.MillraceClientAutoConfiguration,\
            org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,\
            org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration""";

    /** The application. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableCaching
    @Import({CachedValues.class, SecuredController.class})
    static class SecuredApplication {

        /** Every other route, such as a route of actuator, needs a login. There is no user. */
        @Bean
        SecurityFilterChain openValues(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(routes -> routes.requestMatchers("/value/*")
                            .permitAll()
                            .anyRequest()
                            .authenticated())
                    .sessionManagement(sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                    .build();
        }

        @Bean
        RedisCacheConfiguration textValues() {
            return RedisCacheConfiguration.defaultCacheConfig()
                    .entryTtl(Duration.ofHours(1))
                    .serializeValuesWith(SerializationPair.fromSerializer(RedisSerializer.string()));
        }
    }

    /** The cached method. */
    static class CachedValues {

        private final AtomicLong computations = new AtomicLong();

        @Cacheable(HttpRequests.SPRING_CACHE)
        public String value(String key) {
            computations.incrementAndGet();
            return key + "-value";
        }

        public long computations() {
            return computations.get();
        }
    }

    /** The only route of the application itself. */
    @RestController
    static class SecuredController {

        private final CachedValues values;

        SecuredController(CachedValues values) {
            this.values = values;
        }

        @GetMapping("/value/{key}")
        String value(@PathVariable("key") String key) {
            return values.value(key);
        }
    }

    @Override
    public ReadyWork open(WorkContext context) throws IOException {
        Map<String, String> keys = Map.of(
                "spring.autoconfigure.exclude",
                WITHOUT,
                "spring.cache.type",
                "redis",
                "spring.data.redis.url",
                Connections.url(context.target()));
        var application = SpringServer.start(SecuredApplication.class, keys, beans -> {});
        CachedValues values = application.getBean(CachedValues.class);
        var server = new SpringServer(application, values::computations, () -> {});
        return RequestRounds.of(server, requests, context.folder());
    }
}
