// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.RedisClient;
import java.util.function.UnaryOperator;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.AnnotationCacheOperationSource;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.TaskDecorator;
import tools.jackson.databind.json.JsonMapper;

/**
 * The cache manager, if {@code millrace.cache.enabled}. Yields to a cache manager of the application, and to {@code
 * spring.cache.type=none}, by which tests turn caches off.
 */
@AutoConfiguration(
        after = MillraceClientAutoConfiguration.class,
        afterName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
        beforeName = "org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration")
@ConditionalOnProperty(prefix = CacheProperties.PREFIX, name = "enabled")
@ConditionalOnBean(RedisClient.class)
@ConditionalOnMissingBean(value = CacheManager.class, name = "cacheResolver")
@Conditional(MillraceCacheAutoConfiguration.CachesAreOn.class)
@EnableConfigurationProperties(MillraceProperties.class)
final class MillraceCacheAutoConfiguration {

    /** Whether {@code spring.cache.type} is not {@code none}. */
    static final class CachesAreOn extends NoneNestedConditions {

        CachesAreOn() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnProperty(name = "spring.cache.type", havingValue = "none")
        static final class CachesAreOff {}
    }

    /** The cache manager, and keys whose arguments can be read. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JsonMapper.class)
    @ConditionalOnSingleCandidate(RedisClient.class)
    static final class WithJackson {

        @Bean
        MillraceCacheManager cacheManager(
                MillraceProperties properties,
                RedisClient client,
                ObjectProvider<JsonMapper> mapper,
                ConfigurableListableBeanFactory beanFactory,
                ObjectProvider<CacheOperationSource> operations,
                ObjectProvider<TaskDecorator> decorator,
                ObjectProvider<CacheObserver> observers) {
            TaskDecorator unique = decorator.getIfUnique();
            UnaryOperator<Runnable> context = unique == null ? UnaryOperator.identity() : unique::decorate;
            return new MillraceCacheManager(new MillraceCacheManager.CacheEnvironment(
                    properties.cache(),
                    client,
                    mapper.getIfAvailable(JsonMapper::shared),
                    beanFactory,
                    operations.getIfAvailable(AnnotationCacheOperationSource::new),
                    context,
                    observers.orderedStream().toList()));
        }

        @Bean
        static KeyGeneratorInstaller millraceKeyGeneratorInstaller() {
            return new KeyGeneratorInstaller();
        }
    }

    /** Fails the start, because the values are JSON. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("tools.jackson.databind.json.JsonMapper")
    static final class WithoutJackson {

        @Bean
        InitializingBean millraceCacheWithoutJackson() {
            return () -> {
                throw new KeyException(
                        CacheProperties.PREFIX + ".enabled=true needs Jackson 3, which is not on the class path",
                        "Add spring-boot-starter-jackson, or remove the key.");
            };
        }
    }

    /** Fails the start, because the key asks for caches. */
    @Configuration(proxyBeanMethods = false)
    @Conditional(SeveralClients.class)
    static final class CachesOfSeveralClients {

        @Bean
        InitializingBean millraceCacheWithSeveralClients(ListableBeanFactory beanFactory) {
            return () -> {
                throw SeveralClients.refusal(CacheProperties.PREFIX + ".enabled=true", beanFactory);
            };
        }
    }
}
