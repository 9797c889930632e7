// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The address of the keys, or the default. */
@Configuration(proxyBeanMethods = false)
final class AddressFromKeys {

    @Bean
    @ConditionalOnMissingBean
    MillraceConnectionDetails millraceConnectionDetails(MillraceProperties properties) {
        return PropertiesConnectionDetails.of(properties.redis());
    }
}
