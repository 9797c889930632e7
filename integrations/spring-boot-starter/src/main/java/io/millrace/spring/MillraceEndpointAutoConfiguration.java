// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.cache.CacheStats;
import io.millrace.client.RedisClient;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.cache.CacheManager;
import org.springframework.context.annotation.Bean;

/** The endpoints {@code millrace} and {@code millraceloads}. Neither is exposed by default. */
@AutoConfiguration(after = {MillraceLoadAutoConfiguration.class, MillraceCacheAutoConfiguration.class})
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnSingleCandidate(RedisClient.class)
@ConditionalOnBean(LoadJobs.class)
final class MillraceEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    MillraceEndpoint millraceEndpoint(RedisClient client, ObjectProvider<CacheManager> caches, LoadJobs jobs) {
        return new MillraceEndpoint(client, stats(caches), jobs);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    MillraceLoadsEndpoint millraceLoadsEndpoint(LoadJobs jobs) {
        return new MillraceLoadsEndpoint(jobs);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBean(MillraceLoadsEndpoint.class)
    @ConditionalOnAvailableEndpoint(endpoint = MillraceLoadsEndpoint.class, exposure = EndpointExposure.WEB)
    MillraceLoadsWebExtension millraceLoadsWebExtension(MillraceLoadsEndpoint endpoint) {
        return new MillraceLoadsWebExtension(endpoint);
    }

    /** The class of the cache manager needs Jackson, so it is not a type of a parameter. */
    private static Supplier<Map<String, CacheStats>> stats(ObjectProvider<CacheManager> caches) {
        return () -> caches.getIfUnique() instanceof MillraceCacheManager millrace ? millrace.stats() : Map.of();
    }
}
