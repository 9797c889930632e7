// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Function;

/**
 * A command with its arguments: a value, to be run any number of times in any way. The bytes that were given are
 * kept, not copied, and may be encoded late and more than once: they must not change until the command has its outcome.
 *
 * @param <T> what its reply becomes
 */
public final class Command<T> {

    /** Of the array: a star and a line end, besides the digits. */
    private static final long HEADER_BYTES = 3;

    /** Of each argument: a dollar sign and two line ends, besides the digits. */
    private static final long FRAME_BYTES = 5;

    /** The server takes no longer argument. */
    private static final long MOST_BYTES = 512L << 20;

    private final CommandSpec<T> spec;
    private final byte[][] arguments;
    private final long encodedBytes;
    private final long timeoutNanos;
    private final long blockNanos;
    private final boolean blocking;

    private Command(CommandSpec<T> spec, byte[][] arguments, long timeoutNanos, long blockNanos) {
        this.spec = spec;
        this.arguments = arguments;
        this.timeoutNanos = timeoutNanos;
        this.blockNanos = blockNanos;
        this.blocking = spec.blocking() || blockNanos > 0 || (spec.blockingByArgument() && hasBlock(arguments));
        long bytes = HEADER_BYTES + digits(spec.words() + arguments.length) + spec.encodedName().length;
        for (byte[] argument : arguments) {
            bytes += FRAME_BYTES + digits(argument.length) + argument.length;
        }
        if (bytes > MOST_BYTES) {
            throw new IllegalArgumentException(
                    spec.name() + " would be " + bytes + " bytes long; at most " + MOST_BYTES + " can be sent");
        }
        this.encodedBytes = bytes;
    }

    /** {@code spec} with {@code arguments}, each a {@link String}, a {@code byte[]} or a {@link Number}. */
    public static <T> Command<T> of(CommandSpec<T> spec, Object... arguments) {
        byte[][] encoded = new byte[arguments.length][];
        for (int i = 0; i < encoded.length; i++) {
            encoded[i] = encode(arguments[i]);
        }
        return new Command<>(spec, encoded, 0, 0);
    }

    /**
     * Any command at all, answered by its reply as it came: {@code Command.of("OBJECT ENCODING", "k")}.
     *
     * @param name one or more words; the first argument is taken to be its key
     * @throws IllegalArgumentException if {@link CommandSpec#of} refuses it
     */
    public static Command<Reply> of(String name, Object... arguments) {
        return of(CommandSpec.of(name, Replies::raw), arguments);
    }

    /** This command, with another way to read its reply: {@code Strings.get("k").as(Replies::optionalBytes)}. */
    public <U> Command<U> as(Function<Reply, U> decoder) {
        return new Command<>(spec.as(decoder), arguments, timeoutNanos, blockNanos);
    }

    /** This command, which the caller knows may be sent again: see {@link CommandSpec#idempotently}. */
    public Command<T> idempotently() {
        return new Command<>(spec.idempotently(), arguments, timeoutNanos, blockNanos);
    }

    /**
     * This command with a time limit of its own, instead of the client's.
     *
     * @param timeout 1 ms to 1 day, from submission to reply, the wait for a place included
     */
    public Command<T> within(Duration timeout) {
        Ranges.check("timeout", timeout, Duration.ofMillis(1), Duration.ofDays(1));
        return new Command<>(spec, arguments, timeout.toNanos(), blockNanos);
    }

    /**
     * This command, which the server may let wait for so long before it answers. It runs on a dedicated connection, and its
     * time limit is the longer by that.
     *
     * @param wait 0 to 1 day; as in the command's own argument
     */
    public Command<T> blockingFor(Duration wait) {
        Ranges.check("wait", wait, Duration.ZERO, Duration.ofDays(1));
        return new Command<>(spec, arguments, timeoutNanos, wait.toNanos());
    }

    public CommandSpec<T> spec() {
        return spec;
    }

    /** Whether the server may let it wait, so that it needs a connection to itself. */
    public boolean blocking() {
        return blocking;
    }

    /** Nanoseconds from submission to the deadline, for a client whose default is {@code defaultNanos}. */
    public long deadlineNanos(long defaultNanos) {
        return (timeoutNanos == 0 ? defaultNanos : timeoutNanos) + blockNanos;
    }

    /** How long the server may let it wait, which is part of its {@linkplain #deadlineNanos deadline}. */
    public long blockNanos() {
        return blockNanos;
    }

    /** Gives every argument to {@code sink}, in order. */
    public void writeTo(ArgumentSink sink) {
        for (byte[] argument : arguments) {
            sink.arg(argument, 0, argument.length);
        }
    }

    /** How many bytes the command takes on the wire. */
    public long encodedBytes() {
        return encodedBytes;
    }

    /** Only the name: arguments may be secrets. */
    @Override
    public String toString() {
        return spec.name() + " with " + arguments.length + " arguments";
    }

    private static int digits(int number) {
        int digits = 1;
        for (int rest = number; rest >= 10; rest /= 10) {
            digits++;
        }
        return digits;
    }

    private static boolean hasBlock(byte[][] arguments) {
        return Arrays.stream(arguments)
                .anyMatch(argument -> new String(argument, StandardCharsets.ISO_8859_1).equalsIgnoreCase("BLOCK"));
    }

    // No switch over types: it is resolved at run time, which on this path costs more than the copying.
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
