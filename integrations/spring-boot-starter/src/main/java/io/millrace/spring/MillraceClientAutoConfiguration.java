// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.AddressResolver;
import io.millrace.client.ClientOptions;
import io.millrace.client.CommandListener;
import io.millrace.client.CredentialsProvider;
import io.millrace.client.PushListener;
import io.millrace.client.RedisClient;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** The client, its options, and the address of the server. Each bean yields to a bean of the application. */
@AutoConfiguration(
        after = SslAutoConfiguration.class,
        afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@EnableConfigurationProperties(MillraceProperties.class)
@Import({AddressFromDataRedis.class, AddressFromKeys.class})
final class MillraceClientAutoConfiguration {

    @Bean
    static GroupsOfKeys millraceGroupsOfKeys() {
        return new GroupsOfKeys();
    }

    @Bean
    @ConditionalOnMissingBean
    ClientOptions millraceClientOptions(
            MillraceProperties properties,
            MillraceConnectionDetails details,
            ObjectProvider<SslBundles> bundles,
            ObjectProvider<CredentialsProvider> credentials,
            ObjectProvider<AddressResolver> addressResolver,
            ObjectProvider<PushListener> pushListener,
            ObjectProvider<CommandListener> commandListener,
            ObjectProvider<ListenerFactory> listeners,
            ObjectProvider<ClientOptionsCustomizer> customizers) {
        refuseWithoutListener(properties.observation(), listeners);
        ClientOptionsFactory.Beans beans = new ClientOptionsFactory.Beans(
                credentials, addressResolver, pushListener, commandListener, listeners, customizers);
        return new ClientOptionsFactory(properties.redis(), bundles.getIfAvailable(), beans).create(details);
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    RedisClient millraceRedisClient(ClientOptions options, MillraceProperties properties) {
        return ClientStarter.connect(options, properties.redis().patience());
    }

    private static void refuseWithoutListener(ObservationMode mode, ObjectProvider<ListenerFactory> listeners) {
        if (mode != ObservationMode.OFF && listeners.stream().findAny().isEmpty()) {
            boolean spans = mode == ObservationMode.SPANS;
            throw new KeyException(
                    "millrace.observation="
                            + (spans ? "spans needs a tracer and a meter registry" : "timers needs a meter registry")
                            + ", and the application has none",
                    "Add spring-boot-starter-actuator" + (spans ? " and spring-boot-starter-opentelemetry" : "")
                            + ", or remove the key.");
        }
    }
}
