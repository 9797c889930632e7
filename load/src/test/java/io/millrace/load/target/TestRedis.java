// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.ArgumentSink;
import io.millrace.client.CommandSpec;
import io.millrace.resp.Reply;
import io.millrace.resp.Reply.ArrayReply;
import io.millrace.resp.Reply.BulkString;
import io.millrace.resp.Reply.ErrorReply;
import io.millrace.resp.Reply.IntegerReply;
import io.millrace.resp.Reply.MapReply;
import io.millrace.resp.Reply.Null;
import io.millrace.resp.Reply.SimpleString;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A private {@code redis-server} of the PATH, and one connection to it that sends a command and waits for its reply. */
final class TestRedis implements AutoCloseable {

    private final Path directory;
    private final Process server;
    private final Socket socket;
    private final DataInputStream in;

    private TestRedis(Path directory, Process server, Socket socket) throws IOException {
        this.directory = directory;
        this.server = server;
        this.socket = socket;
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    static TestRedis start() {
        try {
            int port;
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = free.getLocalPort();
            }
            Path directory = Files.createTempDirectory("millrace-load-test");
            Process server = new ProcessBuilder(
                            "redis-server",
                            "--port",
                            "" + port,
                            "--bind",
                            "127.0.0.1",
                            "--save",
                            "",
                            "--appendonly",
                            "no")
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .start();
            var log = server.inputReader();
            String line = log.readLine();
            while (line != null && !line.contains("eady to accept connections")) {
                line = log.readLine();
            }
            return new TestRedis(directory, server, new Socket(InetAddress.getLoopbackAddress(), port));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a command and returns its reply, which may be an error. */
    Reply call(CommandSpec<?> command, Consumer<ArgumentSink> arguments) {
        var sink = new Arguments();
        sink.arg(command.name());
        arguments.accept(sink);
        try {
            socket.getOutputStream().write(sink.request());
            return read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a command of plain words. */
    Reply call(String name, String... arguments) {
        return call(CommandSpec.of(name, reply -> reply), sink -> {
            for (String argument : arguments) {
                sink.arg(argument);
            }
        });
    }

    @Override
    public void close() {
        server.destroy();
        try {
            socket.close();
            if (!server.waitFor(10, TimeUnit.SECONDS)) {
                server.destroyForcibly();
            }
            Files.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            server.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private Reply read() throws IOException {
        int type = in.read();
        String head = line();
        return switch (type) {
            case '+' -> new SimpleString(head);
            case '-' -> new ErrorReply(head);
            case ':' -> new IntegerReply(Long.parseLong(head));
            case '_' -> Null.NULL;
            case '$' -> head.equals("-1") ? Null.NULL : bulk(Integer.parseInt(head));
            case '*' -> head.equals("-1") ? Null.NULL : new ArrayReply(items(Integer.parseInt(head)));
            case '%' -> new MapReply(items(2 * Integer.parseInt(head)));
            default -> throw new IOException("unexpected reply: type=" + type + ", head=" + head);
        };
    }

    private BulkString bulk(int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        in.skipNBytes(2);
        return new BulkString(bytes);
    }

    private List<Reply> items(int count) throws IOException {
        List<Reply> items = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            items.add(read());
        }
        return items;
    }

    private String line() throws IOException {
        var line = new ByteArrayOutputStream();
        for (int b = in.readByte(); b != '\r'; b = in.readByte()) {
            line.write(b);
        }
        in.skipNBytes(1);
        return line.toString(StandardCharsets.UTF_8);
    }

    private static final class Arguments implements ArgumentSink {

        private final ByteArrayOutputStream body = new ByteArrayOutputStream();
        private int count;

        @Override
        public ArgumentSink arg(byte[] bytes, int offset, int length) {
            body.writeBytes(("$" + length + "\r\n").getBytes(StandardCharsets.US_ASCII));
            body.write(bytes, offset, length);
            body.writeBytes(new byte[] {'\r', '\n'});
            count++;
            return this;
        }

        byte[] request() {
            var request = new ByteArrayOutputStream();
            request.writeBytes(("*" + count + "\r\n").getBytes(StandardCharsets.US_ASCII));
            request.writeBytes(body.toByteArray());
            return request.toByteArray();
        }
    }
}
