// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedRedis;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The server that all tests share. */
final class TestRedis {

    private TestRedis() {}

    private static final class Holder {
        static final EmbeddedRedis SERVER = EmbeddedRedis.start();
        static final RedisClient CLIENT = RedisClient.connect(RedisUri.parse(SERVER.uri()));
    }

    static String uri() {
        return Holder.SERVER.uri();
    }

    static RedisClient client() {
        return Holder.CLIENT;
    }

    static void clear() {
        var unused = client().call(Command.of("FLUSHALL"));
    }

    static long size() {
        return Long.parseLong(
                String.valueOf(client().call(Command.of("DBSIZE"))).replaceAll("\\D", ""));
    }

    static Map<String, String> hash(String key) {
        return client().call(Hashes.getAll(key));
    }

    static @Nullable String string(String key) {
        return client().call(Strings.get(key)).orElse(null);
    }
}
