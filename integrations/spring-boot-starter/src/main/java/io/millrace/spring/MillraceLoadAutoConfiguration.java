// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.RedisClient;
import java.time.Duration;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ResourceLoader;

/** The load jobs. */
@AutoConfiguration(
        after = MillraceClientAutoConfiguration.class,
        afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnBean(RedisClient.class)
@EnableConfigurationProperties(MillraceProperties.class)
final class MillraceLoadAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    LoadJobs millraceLoadJobs(
            MillraceProperties properties,
            RedisClient client,
            ListableBeanFactory beanFactory,
            ResourceLoader resourceLoader,
            ApplicationEventPublisher events,
            ObjectProvider<LoadObserver> observers) {
        Duration lease = new SettingKeys(LoadProperties.PREFIX)
                .valueOf("lease", properties.load().lease(), LoadProperties.LEASE);
        return new LoadJobs(
                new LoadJobFactory(properties.load(), beanFactory, resourceLoader).create(),
                new LoadJobs.JobEnvironment(
                        client,
                        LoaderOptions.of(client.options()),
                        lease,
                        events,
                        observers.orderedStream().toList()));
    }

    @Bean
    LoadLifecycle millraceLoadLifecycle(LoadJobs jobs) {
        return new LoadLifecycle(jobs);
    }

    @Bean
    StartUpLoads millraceStartUpLoads(LoadJobs jobs) {
        return new StartUpLoads(jobs);
    }
}
