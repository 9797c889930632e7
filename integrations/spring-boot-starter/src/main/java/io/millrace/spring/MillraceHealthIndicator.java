// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.Health.Check;
import io.millrace.client.RedisClient;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * The health of the client: up if the server replies to a {@code PING} over each shared connection. Waits for at most the
 * connect timeout of the client.
 */
final class MillraceHealthIndicator extends AbstractHealthIndicator {

    private static final double NANOS_PER_MILLI = 1e6;

    private final RedisClient client;

    MillraceHealthIndicator(RedisClient client) {
        super("the health check of Redis has failed");
        this.client = client;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        Duration timeout = client.options().connectTimeout();
        io.millrace.client.Health checked = client.health(timeout);
        Map<String, String> connections = new LinkedHashMap<>();
        for (Check check : checked.connections()) {
            connections.put(check.connection(), check.problem().orElseGet(() -> millis(check.took())));
        }
        (checked.healthy() ? health.up() : health.down())
                .withDetail("server", client.options().uri().toString())
                .withDetail("connections", connections);
    }

    private static String millis(Duration took) {
        return Math.round(took.toNanos() / NANOS_PER_MILLI * 1_000) / 1_000.0 + " ms";
    }
}
