// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Command;

/** Which commands may run where. */
enum Placement {

    /** Among the commands of others: nothing that waits on the server, nothing that changes the connection. */
    SHARED {
        @Override
        void check(Command<?> command) {
            DEDICATED.check(command);
            refuse(command, command.spec().dedicated(), "changes the connection that it runs on");
            refuse(command, command.blocking(), "would let all others wait");
        }
    },

    /** On a connection of one's own: everything. */
    DEDICATED {
        @Override
        void check(Command<?> command) {}
    };

    /**
     * Throws if {@code command} must not run here.
     *
     * @throws IllegalArgumentException then
     */
    abstract void check(Command<?> command);

    private static void refuse(Command<?> command, boolean refused, String why) {
        if (refused) {
            throw new IllegalArgumentException(
                    command.spec().name() + " " + why + ", so it needs a dedicated connection: RedisClient.borrow()");
        }
    }
}
