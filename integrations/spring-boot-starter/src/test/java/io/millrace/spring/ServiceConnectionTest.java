// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.testcontainers.containers.GenericContainer;

/** Tests service connections. A container class of this test, and a scripted {@code docker}, stand for Docker. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ServiceConnectionTest {

    private static EmbeddedRedis server;

    @TempDir
    private Path folder;

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    /** A container that is the server of this test. */
    static final class LocalContainer extends GenericContainer<LocalContainer> {

        LocalContainer() {
            super("redis:8");
        }

        @Override
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public String getHost() {
            return server.host();
        }

        @Override
        public Integer getMappedPort(int originalPort) {
            assertThat(originalPort).isEqualTo(6379);
            return server.port();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfRedis {

        @Bean
        @ServiceConnection("redis")
        LocalContainer container() {
            return new LocalContainer();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfValkey {

        @Bean
        @ServiceConnection("valkey/valkey")
        LocalContainer container() {
            return new LocalContainer();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfStack {

        @Bean
        @ServiceConnection("redis/redis-stack-server")
        LocalContainer container() {
            return new LocalContainer();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {OfRedis.class, OfValkey.class, OfStack.class})
    void containerPrecedesTheUrl(Class<?> configuration) {
        TestRunners.of("redis://127.0.0.1:1")
                .withConfiguration(AutoConfigurations.of(ServiceConnectionAutoConfiguration.class))
                .withUserConfiguration(configuration)
                .run(context -> {
                    RedisClient client = context.getBean(RedisClient.class);

                    client.call(Strings.set("container", configuration.getSimpleName()));

                    assertThat(client.call(Strings.get("container"))).contains(configuration.getSimpleName());
                    assertThat(context.getBean(MillraceConnectionDetails.class))
                            .asString()
                            .contains("Testcontainers");
                });
    }

    @Test
    void serviceOfDockerComposePrecedesTheUrl() throws Exception {
        Files.writeString(folder.resolve("compose.yaml"), """
                services:
                  cache:
                    image: "valkey/valkey:9"
                    ports:
                      - "6379"
                """);
        script();
        try (AppProcess app = AppProcess.start(
                folder,
                folder,
                "spring.docker.compose.enabled=true",
                "spring.docker.compose.skip.in-tests=false",
                "millrace.redis.url=redis://127.0.0.1:1")) {

            app.awaitOutput("READY redis://127.0.0.1:" + server.port());

            assertThat(app.awaitExit()).isZero();
        }
    }

    /** Writes a program {@code docker} that knows one running service. */
    private void script() throws IOException {
        Path docker = Files.writeString(folder.resolve("docker"), """
                #!/bin/sh
                case "$*" in
                  *context*) echo '{"Name":"default","Current":true,"DockerEndpoint":""}' ;;
                  *compose*version*) echo '{"version":"2.30.0"}' ;;
                  *version*) echo 28.0.0 ;;
                  *config*) echo '{"name":"shop","services":{"cache":{"image":"valkey/valkey:9"}}}' ;;
                  *ps*) echo '{"ID":"c1","Name":"shop-cache-1","Image":"valkey/valkey:9","State":"running"}' ;;
                  *inspect*) cat <<'END'
                {"Id":"c1","Config":{"Image":"valkey/valkey:9","Labels":{},"ExposedPorts":{"6379/tcp":{}},"Env":[]},\
                "NetworkSettings":{"Ports":{"6379/tcp":[{"HostIp":"0.0.0.0","HostPort":"PORT"}]}},\
                "HostConfig":{"NetworkMode":"bridge"}}
                END
                  ;;
                esac
                """.replace("PORT", Integer.toString(server.port())));
        Files.setPosixFilePermissions(docker, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
