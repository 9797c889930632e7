// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.Setting.Unit;
import java.time.Duration;
import java.util.Objects;

/**
 * Limits of the dedicated connections of a {@link RedisClient}. The constants document the range and the default of each
 * setting, and the reason for the default.
 *
 * @param size maximum number of dedicated connections, {@link #POOL_SIZE}; a connection is opened when it is first
 *     needed
 * @param maxIdle time after which an unused dedicated connection is closed, {@link #POOL_MAX_IDLE}
 */
public record PoolOptions(int size, Duration maxIdle) {

    /** Range: 1 to 4,096. Default: 16. */
    public static final Setting<Integer> POOL_SIZE =
            new Setting<>("poolSize", 1, 4_096, 16, Unit.COUNT, "Maximum number of dedicated connections.");

    /**
     * Range: zero, or 1 ms to 24 h. Zero closes no connection. Default: 5 min. A pool that is not used then holds no
     * connections of the server. Load balancers of the large clouds drop idle connections after 4 min or more.
     */
    public static final Setting<Duration> POOL_MAX_IDLE = new Setting<>(
            "poolMaxIdle",
            Duration.ofMillis(1),
            Duration.ofHours(24),
            Duration.ofMinutes(5),
            Unit.TIME_OR_ZERO,
            "Time after which an unused dedicated connection is closed.");

    /** The default of each setting. */
    public static final PoolOptions DEFAULT = new PoolOptions(POOL_SIZE.defaultValue(), POOL_MAX_IDLE.defaultValue());

    public PoolOptions {
        Objects.requireNonNull(maxIdle, "poolMaxIdle");
        POOL_SIZE.check(size);
        POOL_MAX_IDLE.check(maxIdle);
    }
}
