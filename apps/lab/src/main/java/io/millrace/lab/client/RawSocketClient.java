// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import io.millrace.lab.client.UsageMode.Capability;
import io.millrace.resp.Reply;
import io.millrace.resp.RespReader;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** Blocking sockets with hand-written commands: the least that a client must do, for comparison with the libraries. */
final class RawSocketClient extends LibraryClient implements BorrowingClient {

    private static final int DEFAULT_POOL = 8;
    private static final int BUFFER_BYTES = 64 * 1024;

    static final ClientLibrary LIBRARY = new ClientLibrary(
            "raw-socket",
            "https://redis.io/docs/latest/develop/reference/protocol-spec/",
            List.of(new UsageMode(
                    "",
                    "no library; pool of " + DEFAULT_POOL
                            + " blocking sockets, or one for each caller; the RESP reader of"
                            + " Millrace; no time limits",
                    Set.of(
                            Capability.CALL,
                            Capability.BATCH,
                            Capability.BORROW,
                            Capability.POOL,
                            Capability.UNIX_SOCKET),
                    RawSocketClient::new)));

    private final BlockingQueue<Connection> idle = new LinkedBlockingQueue<>();

    @Override
    public void open(Target target) throws IOException {
        for (int i = 0; i < target.connections(DEFAULT_POOL); i++) {
            var connection = new Connection(opened(channel(target)), idle);
            if (target.password().isPresent()) {
                connection.run(
                        "AUTH",
                        target.username().orElse("default"),
                        target.password().get());
            }
            connection.run("SELECT", Integer.toString(target.database()));
            connection.close();
        }
    }

    private static SocketChannel channel(Target target) throws IOException {
        if (target.socket().isPresent()) {
            return SocketChannel.open(UnixDomainSocketAddress.of(target.socket().get()));
        }
        var channel = SocketChannel.open(new InetSocketAddress(target.host(), target.port()));
        return channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    @Override
    public Borrowed borrow() throws InterruptedException {
        return idle.take();
    }

    /** A socket that one thread at a time uses. */
    private static final class Connection implements Borrowed {

        private final SocketChannel channel;
        private final BlockingQueue<Connection> idle;
        private final StringBuilder output = new StringBuilder();
        private final ByteBuffer input = ByteBuffer.allocate(BUFFER_BYTES);
        private final RespReader replies = new RespReader();

        Connection(SocketChannel channel, BlockingQueue<Connection> idle) {
            this.channel = channel;
            this.idle = idle;
        }

        @Override
        public @Nullable Object call(Operation operation) throws IOException {
            return batch(List.of(operation)).getFirst();
        }

        /** Writes the batch as a whole before the replies are read. */
        @Override
        public List<@Nullable Object> batch(List<Operation> operations) throws IOException {
            operations.forEach(this::encode);
            return read(operations.size());
        }

        private void run(String... words) throws IOException {
            encode(words);
            read(1);
        }

        private void encode(Operation operation) {
            switch (operation) {
                case Operation.Set set -> encode("SET", set.key(), set.value());
                case Operation.Get get -> encode("GET", get.key());
                case Operation.Increment increment -> encode("INCR", increment.key());
                case Operation.SetField set -> encode("HSET", set.key(), set.field(), set.value());
                case Operation.PopLast pop -> encode("RPOP", pop.key());
                case Operation.Expire expire -> encode("PEXPIRE", expire.key(), Long.toString(expire.millis()));
            }
        }

        private void encode(String... words) {
            output.append('*').append(words.length).append("\r\n");
            for (String word : words) {
                int bytes = word.getBytes(StandardCharsets.UTF_8).length;
                output.append('$').append(bytes).append("\r\n").append(word).append("\r\n");
            }
        }

        /** Sends the encoded commands, reads all replies, and then throws the first error reply. */
        private List<@Nullable Object> read(int count) throws IOException {
            var bytes = ByteBuffer.wrap(output.toString().getBytes(StandardCharsets.UTF_8));
            output.setLength(0);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            var values = new ArrayList<@Nullable Object>(count);
            for (int i = 0; i < count; i++) {
                values.add(value(next()));
            }
            for (var value : values) {
                if (value instanceof Reply.ErrorReply error) {
                    throw new IllegalStateException(error.message());
                }
            }
            return values;
        }

        private Reply next() throws IOException {
            while (!replies.next()) {
                int count = channel.read(input.clear());
                if (count < 0) {
                    throw new EOFException("the server closed the connection");
                }
                replies.feed(input.array(), 0, count);
            }
            return replies.reply();
        }

        private static @Nullable Object value(Reply reply) {
            return switch (reply) {
                case Reply.BulkString text -> text.text();
                case Reply.IntegerReply number -> number.value();
                case Reply.SimpleString text -> text.text();
                case Reply.ErrorReply error -> error;
                default -> null;
            };
        }

        /** Returns the connection to the pool. */
        @Override
        public void close() {
            idle.add(this);
        }
    }
}
