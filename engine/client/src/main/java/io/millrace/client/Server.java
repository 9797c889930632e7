// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** Commands about the server and the connection. */
public final class Server {

    /** {@code PING}: answers {@code PONG}. */
    public static final CommandSpec<String> PING =
            CommandSpec.of("PING", Replies::text).withoutKey().idempotently();

    /** {@code INFO [section]}: lines of {@code name:value}. */
    public static final CommandSpec<String> INFO =
            CommandSpec.of("INFO", Replies::text).withoutKey().idempotently();

    private Server() {}

    /** Asks for a sign of life. */
    public static Command<String> ping() {
        return Command.of(PING);
    }

    /** Asks for one section of the server's statistics, such as {@code server} or {@code cpu}. */
    public static Command<String> info(String section) {
        return Command.of(INFO, section);
    }
}
