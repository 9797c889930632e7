// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.embedded.ServerBinary;
import io.millrace.lab.client.Target;
import io.millrace.lab.server.RedisServer;
import java.nio.file.Path;
import java.util.Optional;
import redis.clients.jedis.Jedis;

/** A Redis server for tests: the one of the PATH, otherwise the one in a jar. */
public final class TestServer {

    private static final int TIMEOUT_MILLIS = 60_000;

    private TestServer() {}

    /** The program of the server. A program in a jar is unpacked into {@code folder}. */
    public static Path program(Path folder) {
        return ServerBinary.any()
                .resolve(folder)
                .orElseThrow(() -> new AssertionError("no Redis on the PATH, and none in a jar for this system"));
    }

    /** Starts a server. */
    public static RedisServer start() {
        return RedisServer.start();
    }

    /** Connects to {@code server} with a time limit that a busy machine keeps. */
    public static Jedis connect(EmbeddedRedis server) {
        Jedis jedis = new Jedis(server.host(), server.port(), TIMEOUT_MILLIS);
        server.password().ifPresent(jedis::auth);
        return jedis;
    }

    /** Connects to a server without a password, with the same time limit. */
    public static Jedis connect(Target target) {
        return new Jedis(target.host(), target.port(), TIMEOUT_MILLIS);
    }

    /** How clients reach {@code server} over TCP. */
    public static Target target(EmbeddedRedis server) {
        return new Target(
                server.host(),
                server.port(),
                Optional.empty(),
                Optional.empty(),
                server.password(),
                0,
                Optional.empty(),
                false,
                0,
                0,
                Target.LONG_TIMEOUT);
    }
}
