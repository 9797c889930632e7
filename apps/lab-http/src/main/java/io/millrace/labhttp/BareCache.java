// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import io.millrace.cache.LoadingCache;
import io.millrace.client.RedisClient;
import io.millrace.lab.bulk.Connections;
import io.millrace.lab.client.Target;
import io.millrace.server.api.ValueCache;
import io.millrace.server.api.ValueKeys;
import java.time.Duration;

/** The cache of the server of Millrace, without the server. */
record BareCache(RedisClient client, LoadingCache<String> values) implements AutoCloseable {

    static BareCache open(Target redis) {
        var keys = new ValueKeys(
                Duration.ofHours(1), Duration.ZERO, Duration.ofSeconds(15), Duration.ZERO, Duration.ZERO, 0);
        RedisClient client = Connections.millrace(redis);
        return new BareCache(client, ValueCache.open(client, keys, key -> key + "-value"));
    }

    long computations() {
        return values.cache().stats().loads();
    }

    @Override
    public void close() {
        values.close();
        client.close();
    }
}
