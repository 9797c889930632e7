// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application with caches and a service. */
@Configuration(proxyBeanMethods = false)
@EnableCaching
class CachingConfiguration {

    @Bean
    Prices prices() {
        return new Prices();
    }
}
