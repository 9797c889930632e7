// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.cache.annotation.AnnotationCacheOperationSource;
import tools.jackson.databind.json.JsonMapper;

/** Creates caches from keys, as the configuration does, without a context and without a server. */
final class TestCaches {

    private TestCaches() {}

    static CacheProperties keys(Map<String, String> keys) {
        return new Binder(new MapConfigurationPropertySource(keys))
                .bindOrCreate(CacheProperties.PREFIX, CacheProperties.class);
    }

    /** A client that connects in the background to an address without a server. */
    static RedisClient client() {
        return RedisClient.connect(ClientOptions.builder(RedisUri.of("127.0.0.1", 1))
                .connectLater(true)
                .build());
    }

    static MillraceCacheManager.CacheEnvironment environment(
            Map<String, String> keys, RedisClient client, CacheObserver... observers) {
        return new MillraceCacheManager.CacheEnvironment(
                keys(keys),
                client,
                JsonMapper.shared(),
                new DefaultListableBeanFactory(),
                new AnnotationCacheOperationSource(),
                UnaryOperator.identity(),
                List.of(observers));
    }
}
