// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import io.millrace.cache.LoadingCache;
import io.millrace.lab.bulk.Connections;
import io.millrace.lab.client.Target;
import io.millrace.server.Server;
import java.util.HashMap;
import java.util.Map;
import org.springframework.context.ConfigurableApplicationContext;

/** The server of Millrace, as {@code millrace serve} starts the server, without a token. */
record MillraceServer(ConfigurableApplicationContext context) implements ValueServer {

    private static final String VALUES = "millrace.server.values.";

    static final String COMPUTATION = VALUES + "computation";
    static final String NEAR_ENTRIES = VALUES + "near-entries";

    /** Starts a server on a free port. {@code more} has further keys of the application. */
    static MillraceServer start(Target redis, Map<String, String> more) {
        Map<String, String> keys = new HashMap<>();
        keys.put("server.port", "0");
        keys.put("logging.level.root", "warn");
        keys.put("millrace.redis.url", Connections.url(redis));
        keys.put(VALUES + "ttl", "1h");
        keys.put(COMPUTATION, "0ms");
        keys.putAll(more);
        return new MillraceServer(Server.start(keys.entrySet().stream()
                .map(key -> "--" + key.getKey() + "=" + key.getValue())
                .toArray(String[]::new)));
    }

    @Override
    public int port() {
        return SpringServer.port(context);
    }

    @Override
    public long computations() {
        LoadingCache<?> values = context.getBean(LoadingCache.class);
        return values.cache().stats().loads();
    }

    @Override
    public void close() {
        context.close();
    }
}
