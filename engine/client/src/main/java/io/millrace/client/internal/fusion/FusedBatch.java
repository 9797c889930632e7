// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.resp.RequestEncoder;

/**
 * Fuses adjacent commands of one kind into a batch: decides which commands may join, how the fused command is written,
 * and how its reply is split. Reused for one batch after the other; its state belongs to the open batch. Not
 * thread-safe.
 *
 * <p>A batch has at least two commands; a single command is sent unchanged.
 */
public abstract class FusedBatch {

    /** Maximum number of commands in a batch. A batch of 16 commands already has most of the gain. */
    public static final int MAX_COMMANDS = 64;

    /** Result of {@link #hashSlot} if all commands of a batch have the same key. */
    static final int ANY_SLOT = -1;

    /** Result of {@link #hashSlot} for a command whose keys have several hash slots. */
    static final int SEVERAL_SLOTS = -2;

    /** Returns whether a command with these arguments can be part of any batch. */
    abstract boolean accepts(BufferedArguments arguments);

    /**
     * Returns whether a command that this batch {@linkplain #accepts} can follow {@code first} and the commands added
     * since.
     */
    abstract boolean canFollow(BufferedArguments first, BufferedArguments next);

    /**
     * Returns the hash slot of the keys of a command that this batch {@linkplain #accepts}; {@link #ANY_SLOT} or
     * {@link #SEVERAL_SLOTS}.
     */
    int hashSlot(BufferedArguments arguments) {
        return ANY_SLOT;
    }

    /**
     * Returns whether a command may join a batch. A node of a cluster refuses a command with keys of several hash slots.
     *
     * @param batchSlot the hash slot of the first command of the batch; {@link #ANY_SLOT} if the server is no node of a
     *     cluster
     */
    final boolean fitsSlot(int batchSlot, BufferedArguments next) {
        return batchSlot == ANY_SLOT || (batchSlot != SEVERAL_SLOTS && hashSlot(next) == batchSlot);
    }

    /** Returns an upper limit for the bytes that a command adds to the batch on the wire. */
    int addedBytes(BufferedArguments arguments) {
        return arguments.encodedBytes();
    }

    /** Opens the batch with its first command. */
    abstract void begin(RequestEncoder encoder, BufferedArguments first);

    /** Adds a command that {@linkplain #canFollow} the batch. */
    abstract void add(RequestEncoder encoder, BufferedArguments next);

    /** Writes the rest of the fused command, and returns the splitter of its reply. The caller ends the command. */
    abstract ReplySplitter finish(RequestEncoder encoder, BufferedArguments first);

    static byte[] name(String command) {
        return RequestEncoder.encodeName(command);
    }
}
