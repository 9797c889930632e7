// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.client.exception.RedisException;
import java.time.Duration;
import java.util.Map;

/** The servers that a {@link FailoverWatch} follows, by what they may lose. */
enum WatchedServers {
    /** One server that loses acknowledged rows if its process is killed. */
    ONE,
    /** One server that replies to a write after the write is on the disk. */
    ONE_THAT_SAVES,
    /** The primary that Sentinels name. A replica can take its place. */
    SENTINELS,
    /** The primaries of a cluster. Replicas can take their places. */
    CLUSTER;

    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** The servers of {@code client}. Asks a single server for its settings, for a second at most. */
    static WatchedServers of(RedisClient client) {
        RedisUri.Endpoint endpoint = client.options().uri().endpoint();
        if (endpoint instanceof RedisUri.Cluster) {
            return CLUSTER;
        }
        if (endpoint instanceof RedisUri.Sentinels) {
            return SENTINELS;
        }
        try {
            Map<String, String> settings = client.call(Server.config("*append*").within(TIMEOUT));
            boolean saves = "yes".equals(settings.get("appendonly"))
                    && "always".equals(settings.get("appendfsync"))
                    && "no".equals(settings.get("no-appendfsync-on-rewrite"));
            return saves ? ONE_THAT_SAVES : ONE;
        } catch (RedisException e) {
            return ONE;
        }
    }
}
