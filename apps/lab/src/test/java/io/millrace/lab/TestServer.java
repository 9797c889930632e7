// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.embedded.ServerBinary;
import io.millrace.lab.run.RedisServer;
import java.nio.file.Path;

/** A Redis for tests: that of the PATH, or else the one inside a jar. The bench itself takes the PATH's alone. */
public final class TestServer {

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

    private TestServer() {}
}
