// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.RedisClient;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.CompositeHealthContributorConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health contributor {@code millrace}, with one part for each client. */
@AutoConfiguration(after = MillraceClientAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(RedisClient.class)
@ConditionalOnEnabledHealthIndicator("millrace")
final class MillraceHealthAutoConfiguration
        extends CompositeHealthContributorConfiguration<MillraceHealthIndicator, RedisClient> {

    MillraceHealthAutoConfiguration() {
        super(MillraceHealthIndicator::new);
    }

    @Bean
    @ConditionalOnMissingBean(name = {"millraceHealthIndicator", "millraceHealthContributor"})
    HealthContributor millraceHealthContributor(ConfigurableListableBeanFactory beanFactory) {
        return createContributor(beanFactory, RedisClient.class);
    }
}
