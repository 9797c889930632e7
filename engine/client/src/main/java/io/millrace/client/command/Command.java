// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.internal.range.Ranges;
import io.millrace.client.internal.slot.HashSlot;
import io.millrace.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/**
 * A command with its arguments. The same command can be run any number of times: directly, in a pipeline or in a
 * transaction. A {@code byte[]} argument is stored without a copy. The client reads the array when it sends the
 * command, possibly more than once. So the caller must not change the array before the method that runs the command has
 * returned, or before the future of the command is complete.
 *
 * @param <T> type of the decoded reply
 */
public final class Command<T> {

    /** Length of the RESP array header in bytes without its digits: an asterisk and a line end (CR, LF). */
    private static final long HEADER_BYTES = 3;

    /**
     * Number of bytes that RESP adds to each argument, without the digits of the length: a dollar sign and two line
     * ends (CR, LF).
     */
    private static final long FRAME_BYTES = 5;

    /** Maximum length of an encoded command: 512 MB, the maximum length of an argument on the server. */
    private static final long MAX_BYTES = 512L << 20;

    private static final int NO_HASH_SLOT = -1;

    /**
     * The time limits of a command. Nearly all commands share {@link #NONE}, which keeps the objects of commands small.
     *
     * @param timeoutNanos 0 for the time limit of the client
     * @param maxNanos maximum of the time limit, without the block time
     * @param blockNanos time for which the server may block
     */
    private record TimeLimits(long timeoutNanos, long maxNanos, long blockNanos) {

        static final TimeLimits NONE = new TimeLimits(0, Long.MAX_VALUE, 0);
    }

    private final CommandSpec<T> spec;
    private final byte[][] arguments;
    private final TimeLimits limits;
    private final int encodedBytes;
    private final boolean blocking;

    /** @param encodedBytes length of the encoded command, which depends on the name and the arguments only */
    private Command(CommandSpec<T> spec, byte[][] arguments, TimeLimits limits, int encodedBytes) {
        this.spec = spec;
        this.arguments = arguments;
        this.limits = limits;
        this.blocking = spec.blocking() || limits.blockNanos > 0 || (spec.blockingByArgument() && hasBlock(arguments));
        this.encodedBytes = encodedBytes;
    }

    private static int encodedBytes(CommandSpec<?> spec, byte[][] arguments) {
        long bytes = HEADER_BYTES + digits(spec.words() + arguments.length) + spec.encodedName().length;
        for (byte[] argument : arguments) {
            bytes += FRAME_BYTES + digits(argument.length) + argument.length;
        }
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException(
                    spec.name() + " would be " + bytes + " bytes long; at most " + MAX_BYTES + " can be sent");
        }
        return (int) bytes;
    }

    /**
     * Returns the command {@code spec} with {@code arguments}. Each argument is a {@link String}, a {@code byte[]} or a
     * {@link Number}.
     */
    public static <T> Command<T> of(CommandSpec<T> spec, Object... arguments) {
        byte[][] encoded = new byte[arguments.length][];
        for (int i = 0; i < encoded.length; i++) {
            encoded[i] = encode(arguments[i]);
        }
        return new Command<>(spec, encoded, TimeLimits.NONE, encodedBytes(spec, encoded));
    }

    /**
     * Returns a command by its name. The value of the command is the undecoded reply:
     * {@code Command.of("OBJECT ENCODING", "k")}.
     *
     * @param name one or more words; {@link CommandSpec#of} describes the positions of the keys
     * @throws IllegalArgumentException if {@link CommandSpec#of} rejects the name
     */
    public static Command<Reply> of(String name, Object... arguments) {
        return of(CommandSpec.of(name, Decoders.RAW), arguments);
    }

    /** Returns a copy with another decoder for the reply: {@code Strings.get("k").as(Replies::optionalBytes)}. */
    public <U> Command<U> as(Function<Reply, U> decoder) {
        return new Command<>(spec.as(decoder), arguments, limits, encodedBytes);
    }

    /** Returns a copy that may be sent again after a lost connection. See {@link CommandSpec#idempotently}. */
    public Command<T> idempotently() {
        return new Command<>(spec.idempotently(), arguments, limits, encodedBytes);
    }

    /**
     * Returns a copy with this time limit instead of the client's time limit.
     *
     * @param timeout 1 ms to 1 day, from submission to reply; includes the wait while the limit of commands or bytes in
     *     flight is reached
     */
    public Command<T> within(Duration timeout) {
        Ranges.check("timeout", timeout, Arguments.MIN_WAIT, Arguments.MAX_WAIT);
        return limitedBy(new TimeLimits(timeout.toNanos(), limits.maxNanos, limits.blockNanos));
    }

    /**
     * Returns a copy whose time limit is not longer than {@code limit}: a longer time limit of the command or of the
     * client is shortened.
     *
     * @param limit 1 ms to 1 day
     */
    public Command<T> withinAtMost(Duration limit) {
        Ranges.check("limit", limit, Arguments.MIN_WAIT, Arguments.MAX_WAIT);
        long maxNanos = Math.min(limits.maxNanos, limit.toNanos());
        return limitedBy(new TimeLimits(limits.timeoutNanos, maxNanos, limits.blockNanos));
    }

    /**
     * Returns a copy that the server may block for {@code wait} before it replies. Such a command runs on a dedicated
     * connection, and its time limit is extended by {@code wait}.
     *
     * @param wait 0 to 1 day; must equal the timeout that the command itself sends to the server as an argument
     */
    public Command<T> blockingFor(Duration wait) {
        Ranges.check("wait", wait, Duration.ZERO, Arguments.MAX_WAIT);
        return limitedBy(new TimeLimits(limits.timeoutNanos, limits.maxNanos, wait.toNanos()));
    }

    private Command<T> limitedBy(TimeLimits other) {
        return new Command<>(spec, arguments, other, encodedBytes);
    }

    public CommandSpec<T> spec() {
        return spec;
    }

    /** Returns whether the server may block the command, so that the command needs a dedicated connection. */
    public boolean blocking() {
        return blocking;
    }

    /**
     * Nanoseconds from submission to the deadline: the time limit of the command plus {@link #blockNanos()}. The
     * client's time limit {@code defaultNanos} applies if the command has no time limit. {@link #withinAtMost} limits both.
     */
    public long deadlineNanos(long defaultNanos) {
        long timeoutNanos = limits.timeoutNanos == 0 ? defaultNanos : limits.timeoutNanos;
        return Math.min(limits.maxNanos, timeoutNanos) + limits.blockNanos;
    }

    /** Nanoseconds for which the server may block the command. {@link #deadlineNanos} includes this time. */
    public long blockNanos() {
        return limits.blockNanos;
    }

    /**
     * Returns the hash slot of the keys in a Redis Cluster, 0 to 16,383; -1 if the command has no keys, so that any node
     * can execute it. The hash slot of {@code SPUBLISH} is the hash slot of its shard channel.
     *
     * <p>Each call computes the hash slot again and allocates no memory. There is no stored result, because the caller
     * may change a {@code byte[]} argument between two runs of the command.
     *
     * @throws IllegalArgumentException if the keys have several hash slots. The message contains the positions of the
     *     keys among the arguments. It does not contain the keys, because they may be secrets
     */
    public int hashSlot() {
        KeyPositions keys = spec.keys();
        int first = keys.next(arguments, -1);
        if (first < 0) {
            return NO_HASH_SLOT;
        }
        int hashSlot = HashSlot.of(arguments[first]);
        for (int i = keys.next(arguments, first); i >= 0; i = keys.next(arguments, i)) {
            if (HashSlot.of(arguments[i]) != hashSlot) {
                throw new IllegalArgumentException(HashSlotConflict.message(spec, arguments));
            }
        }
        return hashSlot;
    }

    /** Returns the indexes of the arguments that are keys, in ascending order, counted from 0. */
    public List<Integer> keyIndexes() {
        if (spec.keyIndex() < 0) {
            return List.of();
        }
        List<Integer> indexes = new ArrayList<>();
        KeyPositions keys = spec.keys();
        for (int i = keys.next(arguments, -1); i >= 0; i = keys.next(arguments, i)) {
            indexes.add(i);
        }
        return Collections.unmodifiableList(indexes);
    }

    /** Passes all arguments to {@code sink}, in order. */
    public void writeTo(ArgumentSink sink) {
        for (byte[] argument : arguments) {
            sink.arg(argument, 0, argument.length);
        }
    }

    /** Length of the encoded command in bytes. */
    public long encodedBytes() {
        return encodedBytes;
    }

    /** Shows only the name and the number of arguments, because arguments may be secrets. */
    @Override
    public String toString() {
        return spec.name() + " with " + arguments.length + " arguments";
    }

    private static int digits(int number) {
        int digits = 1;
        for (long power = 10; power <= number; power *= 10) {
            digits++;
        }
        return digits;
    }

    private static boolean hasBlock(byte[][] arguments) {
        return Arrays.stream(arguments)
                .anyMatch(argument -> new String(argument, StandardCharsets.ISO_8859_1).equalsIgnoreCase("BLOCK"));
    }

    // This method uses instanceof instead of a switch over types. The JVM resolves such a switch at run time, and here
    // that takes more time than the copying of the argument.
    private static byte[] encode(Object argument) {
        if (argument instanceof String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        if (argument instanceof byte[] bytes) {
            return bytes;
        }
        if (argument instanceof Number number) {
            return number.toString().getBytes(StandardCharsets.US_ASCII);
        }
        throw new IllegalArgumentException("an argument must be a String, a byte[] or a Number, not a "
                + argument.getClass().getName());
    }
}
