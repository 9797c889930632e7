// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.CommandSpec;
import io.millrace.resp.RequestEncoder;

/**
 * Reads the arguments of a command that a {@link RequestEncoder} has encoded:
 *
 * <pre>
 *   *3\r\n $3\r\nSET\r\n $1\r\nk\r\n $1\r\nv\r\n
 * </pre>
 */
public final class EncodedCommand {

    private EncodedCommand() {}

    /** Returns where the first argument begins, in a command that begins at {@code start}. */
    public static int firstArgument(CommandSpec<?> spec, byte[] bytes, int start) {
        return afterLine(bytes, start) + spec.encodedName().length;
    }

    /** Returns where the bytes of an argument begin. The frame of the argument begins at {@code frame}. */
    public static int content(byte[] bytes, int frame) {
        return afterLine(bytes, frame);
    }

    /** Returns the length of an argument in bytes. The frame of the argument begins at {@code frame}. */
    public static int length(byte[] bytes, int frame) {
        int length = 0;
        for (int at = frame + 1; bytes[at] != '\r'; at++) {
            length = 10 * length + bytes[at] - '0';
        }
        return length;
    }

    /** Returns where the frame of the next argument begins. */
    public static int next(byte[] bytes, int frame) {
        return content(bytes, frame) + length(bytes, frame) + 2;
    }

    private static int afterLine(byte[] bytes, int start) {
        int at = start + 2;
        while (bytes[at] != '\n') {
            at++;
        }
        return at + 1;
    }

    /** Adds all arguments of the command from {@code start} (inclusive) to {@code end} (exclusive) to {@code sink}. */
    public static void arguments(CommandSpec<?> spec, byte[] bytes, int start, int end, ArgumentSink sink) {
        int frame = firstArgument(spec, bytes, start);
        while (frame < end) {
            int content = content(bytes, frame);
            int length = length(bytes, frame);
            ArgumentSink unused = sink.arg(bytes, content, length);
            frame = content + length + 2;
        }
    }
}
