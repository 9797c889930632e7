// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RefusedException;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Runs the decorators with a client. The server replies LOADING a number of times. */
class ResilienceClientTest {

    private static final RetryOptions OPTIONS = RetryOptions.DEFAULT
            .withDelays(Duration.ofMillis(1), Duration.ofMillis(1))
            .withTimeLimit(Duration.ofSeconds(60));

    private final AtomicInteger errors = new AtomicInteger();

    private FakeRedis server() {
        return FakeRedis.start(Handler.afterHandshake(command -> Answer.reply(
                command.name().equals("INCRBY") && errors.getAndDecrement() > 0 ? "-NOREPLICAS later\r\n" : ":5\r\n")));
    }

    private static RedisClient connect(FakeRedis server) {
        return RedisClient.connect(ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                .connections(1)
                .commandTimeout(Duration.ofSeconds(60))
                .build());
    }

    @Test
    void calledAndSentCommandsAreRepeatedWhileReplicasAreMissing() {
        Retry retry = Retry.of(OPTIONS);
        try (FakeRedis server = server();
                RedisClient client = connect(server)) {
            errors.set(2);
            assertThat(retry.call(Strings.increment("k"), client::call)).isEqualTo(5);
            errors.set(2);
            assertThat(retry.send(Strings.increment("k"), client::send).join()).isEqualTo(5);
            assertThat(client.counts().error()).as("error replies").isEqualTo(4);
        }
    }

    @Test
    void circuitBreakerInsideARetryRefusesCommandsWithoutSendingThem() {
        Retry retry = Retry.of(OPTIONS);
        CircuitBreaker breaker =
                CircuitBreaker.of(CircuitOptions.DEFAULT.withWindow(2, 100).withRecovery(Duration.ofHours(1), 1));
        try (FakeRedis server = server();
                RedisClient client = connect(server)) {
            errors.set(100);
            assertThatThrownBy(() -> retry.call(Strings.increment("k"), attempt -> breaker.call(attempt, client::call)))
                    .isInstanceOf(RefusedException.class)
                    .satisfies(refused -> assertThat(refused.getSuppressed())
                            .hasSize(2)
                            .allMatch(ErrorReplyException.class::isInstance));
            assertThat(client.counts().error()).isEqualTo(2);
            assertThat(breaker.send(Strings.increment("k"), client::send).exceptionNow())
                    .isInstanceOf(RefusedException.class);
        }
    }
}
