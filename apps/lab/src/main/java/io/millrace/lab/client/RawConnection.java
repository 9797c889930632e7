// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A socket with an encoder for commands and a parser for replies. Used by one thread at a time. */
final class RawConnection implements AutoCloseable {

    /** An error reply of the server. */
    static final class ErrorReply extends RuntimeException {

        private static final long serialVersionUID = 1L;

        ErrorReply(String message) {
            super(message);
        }
    }

    private static final int BUFFER_BYTES = 64 * 1024;

    private final SocketChannel channel;
    private byte[] output = new byte[BUFFER_BYTES];
    private int outputLength;

    /** {@code input[from]} to {@code input[to - 1]} are not parsed yet. */
    private byte[] input = new byte[BUFFER_BYTES];

    private int from;
    private int to;

    RawConnection(Target target) throws IOException {
        if (target.socket().isPresent()) {
            channel = SocketChannel.open(
                    UnixDomainSocketAddress.of(target.socket().get()));
        } else {
            channel = SocketChannel.open(new InetSocketAddress(target.host(), target.port()));
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
    }

    void login(Target target) throws IOException {
        if (target.password().isPresent()) {
            command(
                    "AUTH",
                    target.username().orElse("default"),
                    target.password().get());
        }
        command("SELECT", Integer.toString(target.database()));
    }

    private void command(String... words) throws IOException {
        encode(words);
        flush();
        value(read());
    }

    void encode(Operation operation) throws IOException {
        switch (operation) {
            case Operation.Set set -> encode("SET", set.key(), set.value());
            case Operation.Get get -> encode("GET", get.key());
            case Operation.Increment increment -> encode("INCR", increment.key());
            case Operation.SetField set -> encode("HSET", set.key(), set.field(), set.value());
            case Operation.PopLast pop -> encode("RPOP", pop.key());
            case Operation.Expire expire -> encode("PEXPIRE", expire.key(), Long.toString(expire.millis()));
        }
    }

    private void encode(String... words) throws IOException {
        put("*" + words.length + "\r\n");
        for (String word : words) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            put("$" + bytes.length + "\r\n");
            put(bytes);
            put("\r\n");
        }
    }

    private void put(String ascii) throws IOException {
        put(ascii.getBytes(StandardCharsets.ISO_8859_1));
    }

    private void put(byte[] bytes) throws IOException {
        if (outputLength + bytes.length > output.length) {
            flush();
            if (bytes.length > output.length) {
                output = new byte[bytes.length];
            }
        }
        System.arraycopy(bytes, 0, output, outputLength, bytes.length);
        outputLength += bytes.length;
    }

    /** Writes all encoded commands to the socket. */
    void flush() throws IOException {
        for (var rest = ByteBuffer.wrap(output, 0, outputLength); rest.hasRemaining(); ) {
            channel.write(rest);
        }
        outputLength = 0;
    }

    List<@Nullable Object> batch(List<Operation> operations) throws IOException {
        for (Operation operation : operations) {
            encode(operation);
        }
        flush();
        var replies = new ArrayList<@Nullable Object>(operations.size());
        for (int i = 0; i < operations.size(); i++) {
            replies.add(read());
        }
        replies.forEach(RawConnection::value); // throws the first error after all replies have been read
        return replies;
    }

    /** Throws {@code reply} if the reply is an error. */
    static @Nullable Object value(@Nullable Object reply) {
        if (reply instanceof ErrorReply error) {
            throw error;
        }
        return reply;
    }

    /** Waits for the next reply: a {@link String}, a {@link Long}, null, or an {@link ErrorReply}. */
    @Nullable
    Object read() throws IOException {
        int lineEnd = endOfLine();
        byte type = input[from];
        String line = text(from + 1, lineEnd - 2);
        from = lineEnd;
        return switch (type) {
            case '+' -> line;
            case '-' -> new ErrorReply(line);
            case ':' -> Long.valueOf(line);
            case '$' -> bulkString(Integer.parseInt(line));
            default -> throw new IOException("the server sent an unexpected reply: type=" + (char) type);
        };
    }

    private @Nullable String bulkString(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        while (to - from < length + 2) {
            receive();
        }
        String text = text(from, from + length);
        from += length + 2;
        return text;
    }

    /** Returns the index after the next line feed. */
    private int endOfLine() throws IOException {
        int checked = 0;
        while (true) {
            for (int i = from + checked; i < to; i++) {
                if (input[i] == '\n') {
                    return i + 1;
                }
            }
            checked = to - from;
            receive();
        }
    }

    private String text(int start, int end) {
        return new String(input, start, end - start, StandardCharsets.UTF_8);
    }

    private void receive() throws IOException {
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
    public void close() throws IOException {
        channel.close();
    }
}
