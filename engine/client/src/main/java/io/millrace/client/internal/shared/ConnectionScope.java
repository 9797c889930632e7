// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.command.Command;

/**
 * The scope of a connection: shared by several callers, or dedicated to one caller. The scope defines which commands
 * may run on the connection.
 */
public enum ConnectionScope {

    /**
     * A connection for several callers. Not allowed: commands that block on the server, that change the connection, or
     * that depend on the earlier commands of the connection.
     */
    SHARED {
        @Override
        public void check(Command<?> command) {
            DEDICATED.check(command);
            boolean dedicated = command.spec().dedicated();
            refuse(command, dedicated && command.spec().blocking(), WAITS_FOR_WRITES);
            refuse(command, dedicated, "changes the state of its connection, so it needs a dedicated connection");
            refuse(command, command.blocking(), "would block all other callers, so it needs a dedicated connection");
        }
    },

    /** A connection for one caller. All commands are allowed. */
    DEDICATED {
        @Override
        public void check(Command<?> command) {}
    };

    /** The reason for {@code WAIT} and {@code WAITAOF}: on another connection they would confirm other writes. */
    private static final String WAITS_FOR_WRITES = "waits for the earlier writes of its own connection, so it needs the"
            + " dedicated connection of these writes";

    /**
     * Checks that {@code command} may run on such a connection.
     *
     * @throws IllegalArgumentException if the command must not run on it
     */
    public abstract void check(Command<?> command);

    private static void refuse(Command<?> command, boolean refused, String why) {
        if (refused) {
            throw new IllegalArgumentException(
                    command.spec().name() + " " + why + ": RedisClient.borrow().call(command)");
        }
    }
}
