// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.embedded.ServerBinary;
import io.millrace.lab.run.RedisServer;
import java.nio.file.Path;
import redis.clients.jedis.Jedis;

/** A Redis for tests: that of the PATH, or else the one inside a jar. The bench itself takes the PATH's alone. */
public final class TestServer {

    private static final int TIMEOUT_MILLIS = 60_000;

    /** The server's program; one out of the jar is put into {@code folder}. */
    public static Path program(Path folder) {
        return ServerBinary.any()
                .resolve(folder)
                .orElseThrow(() -> new AssertionError("no Redis on the PATH, and none in a jar for this system"));
    }

    /** Starts it, with its log in {@code folder}. */
    public static RedisServer start(Path folder) {
        return RedisServer.start(program(folder), folder);
    }

    /** Connects to {@code server} with a timeout that a busy machine keeps. */
    public static Jedis connect(EmbeddedRedis server) {
        return new Jedis(server.host(), server.port(), TIMEOUT_MILLIS);
    }

    private TestServer() {}
}
