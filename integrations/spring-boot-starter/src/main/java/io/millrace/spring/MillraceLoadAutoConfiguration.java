// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.RedisClient;
import io.millrace.load.LoadPlan;
import java.time.Duration;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ResourceLoader;

/** The load jobs. */
@AutoConfiguration(
        after = MillraceClientAutoConfiguration.class,
        afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnBean(RedisClient.class)
@EnableConfigurationProperties(MillraceProperties.class)
final class MillraceLoadAutoConfiguration {

    /** The jobs of the only or the primary client. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnSingleCandidate(RedisClient.class)
    static final class JobsOfOneClient {

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

    /** Fails the start if there are jobs. */
    @Configuration(proxyBeanMethods = false)
    @Conditional(SeveralClients.class)
    static final class JobsOfSeveralClients {

        @Bean
        InitializingBean millraceJobsWithSeveralClients(
                MillraceProperties properties, ListableBeanFactory beanFactory) {
            return () -> {
                if (!properties.load().jobs().isEmpty()) {
                    throw SeveralClients.refusal(LoadProperties.PREFIX + ".jobs", beanFactory);
                }
                if (beanFactory.getBeanNamesForType(LoadPlan.class).length > 0) {
                    throw SeveralClients.refusal("A bean of type LoadPlan", beanFactory);
                }
            };
        }
    }
}
