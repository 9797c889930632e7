// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectException;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.RefusalMode;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

/** Tests the start with a real server: with and without a password, a server that is late, and no server. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ClientStartTest {

    private static EmbeddedRedis server;

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start(EmbeddedOptions.defaults().withPassword("secret"));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static String address(String password) {
        return "redis://:" + password + "@" + server.host() + ":" + server.port();
    }

    @Test
    void clientOfTheContextSendsCommands() {
        TestRunners.of(address("secret")).run(context -> {
            RedisClient client = context.getBean(RedisClient.class);

            client.call(Strings.set("k", "v"));

            assertThat(client.call(Strings.get("k"))).contains("v");
        });
    }

    @Test
    void missingPasswordIsExplained() {
        TestRunners.of(server.uri()).run(context -> {
            assertThat(TestRunners.description(context))
                    .contains("cannot connect", "NOAUTH")
                    .doesNotContain("\n");
            assertThat(TestRunners.action(context)).contains("millrace.redis.password");
        });
    }

    @Test
    void wrongPasswordIsExplainedAndNotShown() {
        TestRunners.of(address("mistake")).run(context -> {
            assertThat(TestRunners.description(context)).contains("WRONGPASS").doesNotContain("mistake", "\n");
            assertThat(TestRunners.action(context)).contains("refuses the user or the password");
        });
    }

    @Test
    void serverThatIsAwayIsExplained() throws IOException {
        int port = freePort();

        TestRunners.of("redis://127.0.0.1:" + port).run(context -> {
            assertThat(TestRunners.description(context))
                    .contains("cannot connect", "127.0.0.1:" + port)
                    .doesNotContain("\n");
            assertThat(TestRunners.action(context))
                    .contains("millrace.redis.patience", "millrace.redis.required=false");
        });
    }

    @Test
    void analysisNamesTheSourceOfTheAddressAndTheFormOfAUrlWithoutTls() {
        MillraceConnectionDetails details =
                new PropertiesConnectionDetails(RedisUri.of("127.0.0.1", 1).withTls(), "millrace.redis.url");
        StaticListableBeanFactory beans = new StaticListableBeanFactory(Map.of("details", details));

        FailureAnalysis analysis = new ConnectFailureAnalyzer(beans)
                .analyze(new ConnectException(ConnectException.Reason.TLS, "the TLS handshake failed"));

        assertThat(analysis).isNotNull().satisfies(found -> {
            assertThat(found.getDescription())
                    .isEqualTo(
                            "The client of Millrace cannot connect to rediss://127.0.0.1:1 (from millrace.redis.url): "
                                    + "the TLS handshake failed.");
            assertThat(found.getAction())
                    .contains(
                            "millrace.redis.ssl.bundle", "A server without TLS needs a URL that begins with redis://");
        });
    }

    /** Details of an application, whose text contains the password. */
    private record OwnDetails(String host, String password) implements MillraceConnectionDetails {

        @Override
        public RedisUri uri() {
            return RedisUri.of(host, 1).withLogin("", password);
        }
    }

    @Test
    void analysisDoesNotShowThePasswordOfDetailsOfTheApplication() {
        StaticListableBeanFactory beans =
                new StaticListableBeanFactory(Map.of("details", new OwnDetails("127.0.0.1", "secret")));

        FailureAnalysis analysis = new ConnectFailureAnalyzer(beans)
                .analyze(new ConnectException(ConnectException.Reason.UNREACHABLE, "connection refused"));

        assertThat(analysis)
                .isNotNull()
                .extracting(FailureAnalysis::getDescription)
                .isEqualTo("The client of Millrace cannot connect to redis://127.0.0.1:1 (from a bean of type "
                        + "MillraceConnectionDetails): connection refused.");
    }

    @Test
    void patientStartWaitsForTheServer() throws Exception {
        try (FaultProxy proxy = FaultProxy.inFrontOf(server.host(), server.port())) {
            proxy.refuseConnections(RefusalMode.RESET);
            CompletableFuture<String> value = CompletableFuture.supplyAsync(() -> {
                String[] found = new String[1];
                TestRunners.of("redis://:secret@" + proxy.host() + ":" + proxy.port())
                        .withPropertyValues("millrace.redis.patience=60s")
                        .run(context -> found[0] = valueIn(context));
                return found[0];
            });
            proxy.awaitRefused(2, Duration.ofSeconds(60));

            proxy.acceptConnections();

            assertThat(value.get()).isEqualTo("patient");
        }
    }

    private static String valueIn(AssertableApplicationContext context) {
        RedisClient client = context.getBean(RedisClient.class);
        client.call(Strings.set("patient", "patient"));
        return client.call(Strings.get("patient")).orElse("none");
    }

    @Test
    void impatientStartFailsWhenItsPatienceEnds() throws IOException {
        ClientOptions options = ClientOptions.of(RedisUri.of("127.0.0.1", freePort()));

        assertThatThrownBy(() -> ClientStarter.connect(options, Duration.ofMillis(200)))
                .isInstanceOf(ConnectException.class);
    }

    @Test
    void refusedLoginIsNotTriedAgain() {
        TestRunners.of(address("mistake"))
                .withPropertyValues("millrace.redis.patience=10m")
                .run(context -> assertThat(TestRunners.description(context)).contains("WRONGPASS"));
    }

    @Test
    void applicationThatDoesNotRequireRedisStartsWithoutIt() throws IOException {
        TestRunners.of("redis://127.0.0.1:" + freePort())
                .withPropertyValues("millrace.redis.required=false")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(RedisClient.class).isOpen()).isFalse();
                });
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
