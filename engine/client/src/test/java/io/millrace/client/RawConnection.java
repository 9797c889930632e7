// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.Command;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.resp.Reply;
import io.millrace.resp.RespReader;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Runs commands one at a time over a plain socket. A test can examine the bytes of commands and the replies without the
 * client under test.
 */
public final class RawConnection implements AutoCloseable {

    private final Socket socket;
    private final RespReader reader = new RespReader();

    private RawConnection(Socket socket) {
        this.socket = socket;
    }

    /**
     * Opens a connection.
     *
     * @param protocol 2 for RESP2, 3 for RESP3
     */
    static RawConnection open(String host, int port, int protocol) {
        try {
            RawConnection connection = new RawConnection(new Socket(host, port));
            if (protocol == 3) {
                connection.exchange(List.of(ascii("HELLO"), ascii("3")));
            }
            return connection;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs {@code command} and returns its value. */
    public <T> T run(Command<T> command) {
        Reply reply = reply(command);
        if (reply instanceof Reply.ErrorReply error) {
            throw new ErrorReplyException(command.spec().name(), error);
        }
        return command.spec().decode(reply);
    }

    /** Runs {@code command} and returns its raw reply. */
    Reply reply(Command<?> command) {
        return exchange(words(command));
    }

    /** Returns the words of {@code command} that the server receives: the name and the arguments. */
    public static List<byte[]> words(Command<?> command) {
        List<byte[]> words = new ArrayList<>();
        for (String word : command.spec().name().split(" ", -1)) {
            words.add(ascii(word));
        }
        words.addAll(arguments(command));
        return words;
    }

    public static List<byte[]> arguments(Command<?> command) {
        List<byte[]> arguments = new ArrayList<>();
        command.writeTo(new ArgumentSink() {
            @Override
            public ArgumentSink arg(byte[] bytes, int offset, int length) {
                arguments.add(Arrays.copyOfRange(bytes, offset, offset + length));
                return this;
            }
        });
        return arguments;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Reply exchange(List<byte[]> words) {
        try {
            ByteArrayOutputStream request = new ByteArrayOutputStream();
            request.write(ascii("*" + words.size() + "\r\n"));
            for (byte[] word : words) {
                request.write(ascii("$" + word.length + "\r\n"));
                request.write(word);
                request.write(ascii("\r\n"));
            }
            socket.getOutputStream().write(request.toByteArray());
            byte[] bytes = new byte[64 * 1024];
            while (true) {
                int n = socket.getInputStream().read(bytes);
                if (n < 0) {
                    throw new EOFException("the server has closed the connection");
                }
                reader.feed(bytes, 0, n);
                if (reader.next()) {
                    return reader.reply();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
