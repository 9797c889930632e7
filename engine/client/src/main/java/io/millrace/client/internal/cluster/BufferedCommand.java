// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.KeyPositions;
import io.millrace.client.internal.fusion.EncodedCommand;
import io.millrace.client.internal.slot.HashSlot;
import io.millrace.resp.RequestEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The command that a {@link ClusterBulkWriter} receives. The node of the command is known only after its last argument. So the
 * command is encoded here, and its bytes are copied to the connection of the node. Reused for many commands.
 */
final class BufferedCommand {

    private static final KeyPositions ALL_ARGUMENTS = KeyPositions.range(0, 1, 0);
    private static final KeyPositions PAIRS = KeyPositions.range(0, 2, 0);

    private static final int INITIAL_BYTES = 1024;

    /** A larger buffer is not kept for the next command. */
    private static final int KEPT_BYTES = 1 << 20;

    /** Where the keys are: the common cases, which need no copy of the arguments. */
    private enum KeyShape {
        NONE,
        /** One key at a fixed position. */
        SINGLE,
        /** The keys have a fixed distance, and the first argument is a key. */
        LISTED,
        /** A number of keys, and then the keys. */
        COUNTED,
        OTHER
    }

    private CommandSpec<?> spec;
    private byte[] bytes = new byte[INITIAL_BYTES];
    private RequestEncoder encoder = new RequestEncoder(this::nextBuffer);
    private int count;

    /** Length of the ended command, which begins at offset 0 of {@link #bytes}; 0 before its end. */
    private int length;

    // The shape of the keys of the last spec.
    private @Nullable CommandSpec<?> lastSpec;
    private KeyShape shape = KeyShape.NONE;
    private int keyStep;

    /**
     * Creates an empty buffer.
     *
     * @param spec any spec; {@link #begin} replaces it
     */
    BufferedCommand(CommandSpec<?> spec) {
        this.spec = spec;
    }

    private byte[] nextBuffer(int needed) {
        if (needed > bytes.length) {
            bytes = new byte[(int) Math.min(Integer.MAX_VALUE - 8L, Math.max(needed, 2L * bytes.length))];
        }
        return bytes;
    }

    /** Begins a command. Drops the command before. */
    void begin(CommandSpec<?> newSpec) {
        if (bytes.length > KEPT_BYTES) {
            bytes = new byte[INITIAL_BYTES];
            encoder = new RequestEncoder(this::nextBuffer);
        } else {
            encoder.withdraw(encoder.finishedOffset());
        }
        length = 0;
        count = 0;
        spec = newSpec;
        encoder.begin(newSpec.encodedName(), newSpec.words());
    }

    void arg(byte[] source, int offset, int sourceLength) {
        encoder.arg(source, offset, sourceLength);
        count++;
    }

    void arg(String text) {
        encoder.arg(text);
        count++;
    }

    void arg(long number) {
        encoder.arg(number);
        count++;
    }

    /** Ends the command. Call the methods below only after this method. */
    void end() {
        length = encoder.end();
    }

    /** The array whose first {@link #length} bytes are the encoded command. */
    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    /**
     * Returns the hash slot of the keys; {@link HashSlot#COUNT} if the command has no keys.
     *
     * @throws IllegalArgumentException if the keys have several hash slots
     */
    int hashSlot() {
        if (spec != lastSpec) {
            lastSpec = spec;
            findShape(spec.keys());
        }
        return switch (shape) {
            case NONE -> HashSlot.COUNT;
            case SINGLE -> spec.keyIndex() < count ? hashSlotAt(frame(spec.keyIndex())) : HashSlot.COUNT;
            case LISTED -> count == 0 ? HashSlot.COUNT : hashSlotOfListed();
            case COUNTED -> hasOneCountedKey() ? hashSlotAt(frame(spec.keyIndex())) : hashSlotOfOther();
            case OTHER -> hashSlotOfOther();
        };
    }

    private void findShape(KeyPositions keys) {
        int first = keys.first();
        keyStep = keys.equals(PAIRS) ? 2 : 1;
        if (keys.equals(KeyPositions.none())) {
            shape = KeyShape.NONE;
        } else if (keys.equals(ALL_ARGUMENTS) || keys.equals(PAIRS)) {
            shape = KeyShape.LISTED;
        } else if (first >= 0 && keys.equals(KeyPositions.at(first))) {
            shape = KeyShape.SINGLE;
        } else if (first > 0 && keys.equals(KeyPositions.counted(first - 1))) {
            shape = KeyShape.COUNTED;
        } else {
            shape = KeyShape.OTHER;
        }
    }

    private boolean hasOneCountedKey() {
        int position = spec.keyIndex() - 1;
        if (count <= position + 1) {
            return false;
        }
        int frame = frame(position);
        return EncodedCommand.length(bytes, frame) == 1 && bytes[EncodedCommand.content(bytes, frame)] == '1';
    }

    private int hashSlotOfListed() {
        int frame = frame(0);
        int hashSlot = hashSlotAt(frame);
        for (int i = 1; i < count; i++) {
            frame = EncodedCommand.next(bytes, frame);
            if (i % keyStep == 0 && hashSlotAt(frame) != hashSlot) {
                return hashSlotOfOther();
            }
        }
        return hashSlot;
    }

    private int hashSlotOfOther() {
        int hashSlot = command(spec, bytes, 0, length).hashSlot();
        return hashSlot < 0 ? HashSlot.COUNT : hashSlot;
    }

    private int hashSlotAt(int frame) {
        return HashSlot.of(bytes, EncodedCommand.content(bytes, frame), EncodedCommand.length(bytes, frame));
    }

    /** Returns where argument {@code index} begins. */
    private int frame(int index) {
        int frame = EncodedCommand.firstArgument(spec, bytes, 0);
        for (int i = 0; i < index; i++) {
            frame = EncodedCommand.next(bytes, frame);
        }
        return frame;
    }

    /** Decodes the command in {@code source}, from {@code start} (inclusive) to {@code end} (exclusive). */
    static Command<?> command(CommandSpec<?> spec, byte[] source, int start, int end) {
        List<byte[]> arguments = new ArrayList<>();
        EncodedCommand.arguments(spec, source, start, end, new ArgumentSink() {
            @Override
            public ArgumentSink arg(byte[] bytes, int offset, int length) {
                arguments.add(Arrays.copyOfRange(bytes, offset, offset + length));
                return this;
            }
        });
        return Command.of(spec, arguments.toArray());
    }
}
