// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;

/** The name of a server of the tests. {@code make soak} runs the tests of the commands also with Valkey. */
final class ServerName {

    private ServerName() {}

    static String of(EmbeddedRedis redis) {
        try (Keyspace keyspace = Keyspace.of(redis)) {
            String info = keyspace.client().call(Server.info("server"));
            return info.contains("valkey_version:") ? "Valkey" : "Redis";
        }
    }
}
