// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Strings;
import io.millrace.client.resilience.CircuitBreaker;
import io.millrace.client.resilience.CircuitOptions;
import io.millrace.client.resilience.Retry;
import io.millrace.client.resilience.RetryOptions;
import java.time.Duration;
import java.util.Optional;

/** Repeats commands after temporary failures, and stops sending commands while the server does not work. */
public final class GuardedCalls {

    private static final String NAME = "example:guarded";

    private GuardedCalls() {}

    public static void main(String[] args) {
        RedisUri uri = RedisUri.parse(args.length == 0 ? "redis://127.0.0.1:6379" : args[0]);
        try (RedisClient client = RedisClient.connect(uri)) {
            System.out.println(guarded(client));
            client.call(Keys.delete(NAME));
        }
    }

    static String guarded(RedisClient client) {
        // snippet: guarded
        // Create both once and share them between all threads. One circuit breaker is for one server.
        Retry retry = Retry.of(RetryOptions.DEFAULT.withAttempts(4).withTimeLimit(Duration.ofSeconds(2)));
        CircuitBreaker breaker = CircuitBreaker.of(CircuitOptions.DEFAULT);

        // An idempotent command is also repeated after a timeout. Each attempt asks the circuit breaker.
        retry.call(Strings.set(NAME, "Ada").idempotently(), attempt -> breaker.call(attempt, client::call));
        Optional<String> name = retry.call(Strings.get(NAME), attempt -> breaker.call(attempt, client::call));
        return "name: %s, circuit breaker: %s".formatted(name.orElse("none"), breaker.state());
        // end
    }
}
