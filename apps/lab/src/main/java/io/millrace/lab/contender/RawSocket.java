// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.lab.run.Task;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A blocking socket with little code for {@code SET} and {@code GET} with short ASCII texts, for comparison with the
 * libraries. The code does not handle errors, timeouts or lost connections.
 *
 * <p>One thread writes at a time, and one thread reads at a time.
 */
final class RawSocket implements AutoCloseable {

    private static final byte[] SET = "*3\r\n$3\r\nSET\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] GET = "*2\r\n$3\r\nGET\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int INPUT_BYTES = 64 * 1024;

    private final SocketChannel channel;

    /** Encoded commands that are not written yet. */
    static final class Output {

        private byte[] bytes = new byte[INPUT_BYTES];
        private int length;

        int length() {
            return length;
        }

        void set(String key, String value) {
            put(SET);
            argument(key);
            argument(value);
        }

        void get(String key) {
            put(GET);
            argument(key);
        }

        private void put(byte[] source) {
            ensure(source.length);
            System.arraycopy(source, 0, bytes, length, source.length);
            length += source.length;
        }

        private void argument(String text) {
            put(("$" + text.length() + "\r\n" + text + "\r\n").getBytes(StandardCharsets.US_ASCII));
        }

        private void ensure(int more) {
            if (bytes.length - length < more) {
                bytes = Arrays.copyOf(bytes, 2 * bytes.length);
            }
        }
    }

    // Owned by the thread that reads: input[from] to input[to - 1] are not parsed yet.
    private byte[] input = new byte[INPUT_BYTES];
    private int from;
    private int to;

    RawSocket(Task task) throws IOException {
        channel = SocketChannel.open(new InetSocketAddress(task.host(), task.port()));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    /** Writes all of {@code output}, and empties it. */
    void write(Output output) {
        try {
            for (var rest = ByteBuffer.wrap(output.bytes, 0, output.length); rest.hasRemaining(); ) {
                channel.write(rest);
            }
            output.length = 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the next simple string or bulk string of the input; null if the input has no complete reply. */
    @Nullable
    String next() {
        int line = from;
        while (line < to && input[line] != '\n') {
            line++;
        }
        if (line >= to) {
            return null;
        }
        if (input[from] == '+') {
            var text = text(from + 1, line - 1);
            from = line + 1;
            return text;
        }
        if (input[from] != '$' || input[from + 1] == '-') {
            throw new IllegalStateException("an unexpected reply: " + text(from, line - 1));
        }
        int length = 0;
        for (int i = from + 1; i < line - 1; i++) {
            length = 10 * length + input[i] - '0';
        }
        int end = line + 1 + length;
        if (end + 2 > to) {
            return null;
        }
        var text = text(line + 1, end);
        from = end + 2;
        return text;
    }

    private String text(int start, int end) {
        return new String(input, start, end - start, StandardCharsets.US_ASCII);
    }

    /** Waits for bytes, and reads them. */
    void read() throws IOException {
        System.arraycopy(input, from, input, 0, to - from);
        to -= from;
        from = 0;
        if (to == input.length) {
            input = Arrays.copyOf(input, 2 * input.length);
        }
        int count = channel.read(ByteBuffer.wrap(input, to, input.length - to));
        if (count < 0) {
            throw new EOFException("the server closed the connection");
        }
        to += count;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
