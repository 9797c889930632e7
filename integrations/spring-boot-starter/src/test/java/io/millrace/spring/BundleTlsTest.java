// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.DedicatedConnection;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectException;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.TestCertificates;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests SSL bundles with a server that requires certificates of its clients. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class BundleTlsTest {

    @TempDir
    private static Path folder;

    private static EmbeddedRedis server;
    private static ApplicationContextRunner runner;

    @BeforeAll
    static void startServer() {
        TestCertificates certificates = new TestCertificates(folder);
        Path certificate = certificates.certificate("valid", "ip:127.0.0.1", "-1d", 2);
        server = EmbeddedRedis.start(EmbeddedOptions.defaults()
                .withTls(new EmbeddedOptions.Tls(certificate, certificates.key(), certificates.authority(), true)));
        runner = TestRunners.of("redis://127.0.0.1:" + server.tlsPort().orElseThrow())
                .withPropertyValues(
                        "spring.ssl.bundle.pem.shop.truststore.certificate=file:" + certificates.authority(),
                        "spring.ssl.bundle.pem.shop.keystore.certificate=file:" + certificate,
                        "spring.ssl.bundle.pem.shop.keystore.private-key=file:" + certificates.key());
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void bundleTurnsTlsOnAndHasTheCertificates() {
        runner.withPropertyValues("millrace.redis.ssl.bundle=shop").run(context -> {
            RedisClient client = context.getBean(RedisClient.class);

            client.call(Strings.set("k", "v"));

            assertThat(client.call(Strings.get("k"))).contains("v");
            assertThat(client.options().uri().tls()).isTrue();
        });
    }

    @Test
    void reloadedBundleIsUsedByTheNextConnection() {
        runner.withPropertyValues("millrace.redis.ssl.bundle=shop").run(context -> {
            RedisClient client = context.getBean(RedisClient.class);
            SslBundle good = context.getBean(SslBundles.class).getBundle("shop");
            SslBundleRegistry bundles = context.getBean(SslBundleRegistry.class);

            bundles.updateBundle("shop", SslBundle.systemDefault());
            assertThatThrownBy(client::borrow).isInstanceOf(ConnectException.class);
            assertThat(client.call(Strings.set("k", "v"))).isNotNull();

            bundles.updateBundle("shop", good);
            try (DedicatedConnection connection = client.borrow()) {
                assertThat(connection.call(Strings.get("k"))).contains("v");
            }
        });
    }

    @Test
    void serverNameReplacesTheHostInTheCertificate() {
        runner.withPropertyValues("millrace.redis.ssl.bundle=shop", "millrace.redis.ssl.server-name=other.example")
                .run(context -> assertThat(TestRunners.action(context)).contains("millrace.redis.ssl.server-name"));
    }

    @Test
    void missingBundleAndOptionsOfABundleAreRefused() {
        runner.withPropertyValues("millrace.redis.ssl.bundle=mistake")
                .run(context -> assertThat(TestRunners.description(context))
                        .isEqualTo("millrace.redis.ssl.bundle=mistake does not exist; the bundles are [shop]."));
        runner.withPropertyValues(
                        "millrace.redis.ssl.bundle=shop", "spring.ssl.bundle.pem.shop.options.ciphers=one,two")
                .run(context -> assertThat(TestRunners.description(context))
                        .startsWith("millrace.redis.ssl.bundle=shop has options for ciphers"));
    }

    @Test
    void bundleOfTheDetailsIsUsed() {
        runner.withUserConfiguration(DetailsWithBundle.class)
                .withBean(
                        "address",
                        RedisUri.class,
                        () -> RedisUri.of("127.0.0.1", server.tlsPort().orElseThrow()))
                .run(context -> assertThat(context.getBean(RedisClient.class).call(Strings.set("k", "v")))
                        .isNotNull());
    }

    /** Details of the application, with its bundle. */
    @Configuration(proxyBeanMethods = false)
    static class DetailsWithBundle {

        @Bean
        MillraceConnectionDetails details(RedisUri address, SslBundles bundles) {
            return new MillraceConnectionDetails() {
                @Override
                public RedisUri uri() {
                    return address;
                }

                @Override
                public Optional<SslBundle> sslBundle() {
                    return Optional.of(bundles.getBundle("shop"));
                }
            };
        }
    }
}
