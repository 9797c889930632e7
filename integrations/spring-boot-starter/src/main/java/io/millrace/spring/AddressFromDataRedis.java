// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The address of Spring Data Redis, unless a key contains an address. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(DataRedisConnectionDetails.class)
@ConditionalOnBean(DataRedisConnectionDetails.class)
final class AddressFromDataRedis {

    @Bean
    @ConditionalOnMissingBean
    MillraceConnectionDetails millraceConnectionDetails(
            MillraceProperties properties,
            DataRedisConnectionDetails details,
            ObjectProvider<DataRedisProperties> keys) {
        return PropertiesConnectionDetails.hasAddress(properties.redis())
                ? PropertiesConnectionDetails.of(properties.redis())
                : DataRedisDetails.of(details, keys.getIfAvailable(), properties.redis());
    }
}
