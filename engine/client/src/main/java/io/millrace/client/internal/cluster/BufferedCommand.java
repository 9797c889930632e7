// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.KeyPositions;
import io.millrace.client.internal.slot.HashSlot;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of the command that a {@link ClusterBulkWriter} receives. The node of the command is known only after its
 * last argument. Reused for many commands.
 *
 * <pre>
 *   text:    length (4 bytes), bytes
 *   number:  -1 (4 bytes), number (8 bytes)
 * </pre>
 *
 * <p>Numbers stay numbers, because a connection fuses them without parsing their digits.
 */
final class BufferedCommand implements ArgumentSink {

    /** Upper bound of the bytes that RESP adds to an argument, and of the digits of a number. */
    static final int FRAME_BYTES = 36;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private static final int NUMBER = -1;
    private static final KeyPositions ALL_ARGUMENTS = KeyPositions.range(0, 1, 0);
    private static final KeyPositions PAIRS = KeyPositions.range(0, 2, 0);

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

    private byte[] bytes = new byte[1024];
    private int used;
    private int count;

    // The shape of the keys of the last spec.
    private @Nullable CommandSpec<?> lastSpec;
    private KeyShape shape = KeyShape.NONE;
    private int keyStep;

    void clear() {
        if (bytes.length > KEPT_BYTES) {
            bytes = new byte[1024];
        }
        used = 0;
        count = 0;
    }

    @Override
    public BufferedCommand arg(byte[] source, int offset, int length) {
        ensure(length);
        INT.set(bytes, used, length);
        System.arraycopy(source, offset, bytes, used + Integer.BYTES, length);
        used += Integer.BYTES + length;
        count++;
        return this;
    }

    @Override
    public BufferedCommand arg(String text) {
        int length = text.length();
        ensure(length);
        int at = used + Integer.BYTES;
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
                return arg(utf8, 0, utf8.length);
            }
            bytes[at++] = (byte) c;
        }
        INT.set(bytes, used, length);
        used = at;
        count++;
        return this;
    }

    @Override
    public BufferedCommand arg(long number) {
        ensure(Long.BYTES);
        INT.set(bytes, used, NUMBER);
        LONG.set(bytes, used + Integer.BYTES, number);
        used += Integer.BYTES + Long.BYTES;
        count++;
        return this;
    }

    private void ensure(int length) {
        int needed = Math.addExact(Math.addExact(used, Integer.BYTES), length);
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 8L, Math.max(needed, 2L * bytes.length)));
        }
    }

    int used() {
        return used;
    }

    int count() {
        return count;
    }

    void copyTo(byte[] target, int start) {
        System.arraycopy(bytes, 0, target, start, used);
    }

    /** Adds all arguments to {@code sink}. */
    void writeTo(ArgumentSink sink) {
        write(bytes, 0, used, sink);
    }

    /** Adds the arguments in {@code source}, from {@code start} (inclusive) to {@code end} (exclusive), to {@code sink}. */
    static void write(byte[] source, int start, int end, ArgumentSink sink) {
        int at = start;
        while (at < end) {
            int length = (int) INT.get(source, at);
            at += Integer.BYTES;
            if (length == NUMBER) {
                sink.arg((long) LONG.get(source, at));
                at += Long.BYTES;
            } else {
                sink.arg(source, at, length);
                at += length;
            }
        }
    }

    /** Number of the arguments in {@code source}, from {@code start} (inclusive) to {@code end} (exclusive). */
    static int count(byte[] source, int start, int end) {
        int count = 0;
        for (int at = start; at < end; count++) {
            int length = (int) INT.get(source, at);
            at += Integer.BYTES + (length == NUMBER ? Long.BYTES : length);
        }
        return count;
    }

    /**
     * Returns the hash slot of the keys; {@link HashSlot#COUNT} if the command has no keys.
     *
     * @throws IllegalArgumentException if the keys have several hash slots
     */
    int hashSlot(CommandSpec<?> spec) {
        if (spec != lastSpec) {
            lastSpec = spec;
            findShape(spec.keys());
        }
        return switch (shape) {
            case NONE -> HashSlot.COUNT;
            case SINGLE -> spec.keyIndex() < count ? hashSlotOf(spec.keyIndex()) : HashSlot.COUNT;
            case LISTED -> count == 0 ? HashSlot.COUNT : hashSlotOfListed(spec);
            case COUNTED -> hasOneCountedKey(spec) ? hashSlotOf(spec.keyIndex()) : hashSlotOfOther(spec);
            case OTHER -> hashSlotOfOther(spec);
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

    private boolean hasOneCountedKey(CommandSpec<?> spec) {
        int position = spec.keyIndex() - 1;
        if (count <= position + 1) {
            return false;
        }
        int at = offset(position);
        int length = (int) INT.get(bytes, at);
        return length == NUMBER
                ? (long) LONG.get(bytes, at + Integer.BYTES) == 1
                : length == 1 && bytes[at + Integer.BYTES] == '1';
    }

    private int hashSlotOfListed(CommandSpec<?> spec) {
        int hashSlot = hashSlotOf(0);
        for (int i = keyStep; i < count; i += keyStep) {
            if (hashSlotOf(i) != hashSlot) {
                return hashSlotOfOther(spec);
            }
        }
        return hashSlot;
    }

    private int hashSlotOfOther(CommandSpec<?> spec) {
        int hashSlot = command(spec, bytes, 0, used).hashSlot();
        return hashSlot < 0 ? HashSlot.COUNT : hashSlot;
    }

    /** The command with the arguments in {@code source}, from {@code start} (inclusive) to {@code end} (exclusive). */
    static Command<?> command(CommandSpec<?> spec, byte[] source, int start, int end) {
        Object[] arguments = new Object[count(source, start, end)];
        int at = start;
        for (int i = 0; i < arguments.length; i++) {
            int length = (int) INT.get(source, at);
            at += Integer.BYTES;
            if (length == NUMBER) {
                arguments[i] = (long) LONG.get(source, at);
                at += Long.BYTES;
            } else {
                arguments[i] = Arrays.copyOfRange(source, at, at + length);
                at += length;
            }
        }
        return Command.of(spec, arguments);
    }

    private int hashSlotOf(int index) {
        int at = offset(index);
        int length = (int) INT.get(bytes, at);
        return length == NUMBER
                ? HashSlot.of(Long.toString((long) LONG.get(bytes, at + Integer.BYTES)))
                : HashSlot.of(bytes, at + Integer.BYTES, length);
    }

    /** Returns where argument {@code index} begins. */
    private int offset(int index) {
        int at = 0;
        for (int i = 0; i < index; i++) {
            int length = (int) INT.get(bytes, at);
            at += Integer.BYTES + (length == NUMBER ? Long.BYTES : length);
        }
        return at;
    }
}
