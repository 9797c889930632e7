// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.RedisClient;
import java.time.Duration;
import java.util.List;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Load jobs of an application. */
@Configuration(proxyBeanMethods = false)
class OwnJobs {

    @Bean
    LoadJobs jobsOfTheApplication(RedisClient client, ApplicationEventPublisher events) {
        return new LoadJobs(
                List.of(GatedSource.open(1).job("own")),
                new LoadJobs.JobEnvironment(client, client.options(), Duration.ofSeconds(30), events, List.of()));
    }
}
