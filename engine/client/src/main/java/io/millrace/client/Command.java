// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A command with its arguments: a value, to be run any number of times in any way. Immutable by convention: the bytes that
 * were given are kept, not copied.
 *
 * @param <T> what its reply becomes
 */
public final class Command<T> {

    private final CommandSpec<T> spec;
    private final List<byte[]> arguments;

    private Command(CommandSpec<T> spec, List<byte[]> arguments) {
        this.spec = spec;
        this.arguments = arguments;
    }

    /** {@code spec} with {@code arguments}, each a {@link String}, a {@code byte[]}, a {@link Number}. */
    public static <T> Command<T> of(CommandSpec<T> spec, Object... arguments) {
        List<byte[]> encoded = new ArrayList<>(arguments.length);
        for (Object argument : arguments) {
            encoded.add(encode(argument));
        }
        return new Command<>(spec, encoded);
    }

    public CommandSpec<T> spec() {
        return spec;
    }

    /** Gives every argument to {@code sink}, in order. */
    public void writeTo(ArgumentSink sink) {
        for (byte[] argument : arguments) {
            sink.arg(argument);
        }
    }

    /** How many bytes the command takes on the wire, at most. */
    public long encodedBytes() {
        long bytes = 16L + spec.encodedName().length;
        for (byte[] argument : arguments) {
            bytes += 16L + argument.length;
        }
        return bytes;
    }

    /** Only the name: arguments may be secrets. */
    @Override
    public String toString() {
        return spec.name() + " with " + arguments.size() + " arguments";
    }

    private static byte[] encode(Object argument) {
        return switch (argument) {
            case byte[] bytes -> bytes;
            case String text -> text.getBytes(StandardCharsets.UTF_8);
            case Number number -> number.toString().getBytes(StandardCharsets.US_ASCII);
            default ->
                throw new IllegalArgumentException("an argument must be a String, a byte[] or a Number, not a "
                        + argument.getClass().getName());
        };
    }
}
