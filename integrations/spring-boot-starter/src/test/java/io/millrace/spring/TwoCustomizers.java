// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** Two customizers, defined in the reverse of their order. */
@Configuration(proxyBeanMethods = false)
class TwoCustomizers {

    @Bean
    @Order(2)
    ClientOptionsCustomizer second() {
        return options -> options.name("last");
    }

    @Bean
    @Order(1)
    ClientOptionsCustomizer first() {
        return options -> options.name("first");
    }
}
