// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

/**
 * A client that may fuse commands: such a client sends one command, such as {@code MSET}, in place of several commands.
 * The lab compares the counts of the client with the counts of the server.
 */
public interface FusingClient extends ClientAdapter {

    /** Counts since {@link #open}. */
    FusedCommands fused();

    /**
     * Commands that were fused.
     *
     * @param commands commands that were replaced
     * @param batches fused commands that were sent instead
     */
    record FusedCommands(long commands, long batches) {

        public static final FusedCommands NONE = new FusedCommands(0, 0);

        public FusedCommands minus(FusedCommands earlier) {
            return new FusedCommands(commands - earlier.commands, batches - earlier.batches);
        }
    }
}
