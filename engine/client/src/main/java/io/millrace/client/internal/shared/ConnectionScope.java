// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.command.Command;

/**
 * The scope of a connection: shared by several callers, or dedicated to one caller. The scope defines which commands
 * may run on the connection.
 */
public enum ConnectionScope {

    /** A connection for several callers. Commands that block on the server or change the connection are not allowed. */
    SHARED {
        @Override
        public void check(Command<?> command) {
            DEDICATED.check(command);
            refuse(command, command.spec().dedicated(), "changes the state of its connection");
            refuse(command, command.blocking(), "would block all other callers");
        }
    },

    /** A connection for one caller. All commands are allowed. */
    DEDICATED {
        @Override
        public void check(Command<?> command) {}
    };

    /**
     * Checks that {@code command} may run on such a connection.
     *
     * @throws IllegalArgumentException if the command must not run on it
     */
    public abstract void check(Command<?> command);

    private static void refuse(Command<?> command, boolean refused, String why) {
        if (refused) {
            throw new IllegalArgumentException(
                    command.spec().name() + " " + why + ", so it needs a dedicated connection: RedisClient.borrow()");
        }
    }
}
