// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import io.millrace.lab.client.UsageMode.Capability;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/** Blocking sockets with hand-written RESP: the least that a client must do, for comparison with the libraries. */
final class RawSocketClient implements BorrowingClient {

    private static final int DEFAULT_POOL = 8;

    static final ClientLibrary LIBRARY = new ClientLibrary(
            "raw-socket",
            "https://redis.io/docs/latest/develop/reference/protocol-spec/",
            List.of(new UsageMode(
                    "",
                    "For comparison, no library: a pool of " + DEFAULT_POOL
                            + " blocking sockets, or one for each caller; a batch is written as a whole before its replies"
                            + " are read; without time limits",
                    Set.of(
                            Capability.CALL,
                            Capability.BATCH,
                            Capability.BORROW,
                            Capability.POOL,
                            Capability.UNIX_SOCKET),
                    RawSocketClient::new)));

    private final OpenResources resources = new OpenResources();
    private BlockingQueue<RawConnection> idle = new ArrayBlockingQueue<>(1);

    @Override
    public void open(Target target) throws IOException {
        int size = target.connections(DEFAULT_POOL);
        idle = new ArrayBlockingQueue<>(size);
        for (int i = 0; i < size; i++) {
            var connection = new RawConnection(target);
            resources.add(connection);
            connection.login(target);
            idle.add(connection);
        }
    }

    @Override
    public Borrowed borrow() throws InterruptedException {
        return new BorrowedSocket(idle, idle.take());
    }

    @Override
    public void close() throws Exception {
        resources.close();
    }

    private record BorrowedSocket(BlockingQueue<RawConnection> idle, RawConnection connection) implements Borrowed {

        @Override
        public @Nullable Object call(Operation operation) throws IOException {
            connection.encode(operation);
            connection.flush();
            return RawConnection.value(connection.read());
        }

        @Override
        public List<@Nullable Object> batch(List<Operation> operations) throws IOException {
            return connection.batch(operations);
        }

        @Override
        public void close() {
            idle.add(connection);
        }
    }
}
