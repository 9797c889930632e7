// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * All keys that begin with {@code millrace}. An unknown key fails the start, so that a misspelled key is not ignored.
 *
 * @param redis Keys of the client.
 * @param load Keys of the load jobs.
 * @param cache Keys of the caches.
 * @param observation Whether commands are measured: not at all, with timers, or with timers and spans.
 */
@ConfigurationProperties(prefix = "millrace", ignoreUnknownFields = false)
record MillraceProperties(
        @NestedConfigurationProperty @DefaultValue RedisProperties redis,
        @NestedConfigurationProperty @DefaultValue LoadProperties load,
        @NestedConfigurationProperty @DefaultValue CacheProperties cache,
        @DefaultValue("off") ObservationMode observation) {}
