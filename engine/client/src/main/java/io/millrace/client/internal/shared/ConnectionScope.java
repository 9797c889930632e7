// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.command.Command;

/** Whether a connection is shared, and so which commands may run on it. */
public enum ConnectionScope {

    /** A connection with other callers: no command that blocks on the server or changes the connection. */
    SHARED {
        @Override
        public void check(Command<?> command) {
            DEDICATED.check(command);
            refuse(command, command.spec().dedicated(), "changes the connection that it runs on");
            refuse(command, command.blocking(), "would block all other callers");
        }
    },

    /** A connection of a single user: all commands. */
    DEDICATED {
        @Override
        public void check(Command<?> command) {}
    };

    /**
     * Checks that {@code command} may run here.
     *
     * @throws IllegalArgumentException if it must not
     */
    public abstract void check(Command<?> command);

    private static void refuse(Command<?> command, boolean refused, String why) {
        if (refused) {
            throw new IllegalArgumentException(
                    command.spec().name() + " " + why + ", so it needs a dedicated connection: RedisClient.borrow()");
        }
    }
}
