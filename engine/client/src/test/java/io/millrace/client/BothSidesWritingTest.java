// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Replies;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The client and the server send many more bytes than all buffers hold, and the server does not read while it writes.
 * There is a deadlock if the client does not read while it writes.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class BothSidesWritingTest {

    private static final int COMMANDS = 48;
    private static final CommandSpec<byte[]> ECHO = CommandSpec.of("ECHO", Replies::bytes);

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private final LockstepServer server = new LockstepServer();

    @AfterEach
    void stopServer() {
        server.close();
    }

    @Test
    void manyCallersDoNotDeadlockWhenBothSidesWrite() throws Exception {
        try (RedisClient client = connect();
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<byte[]>> echoed = new ArrayList<>();
            for (int i = 0; i < COMMANDS; i++) {
                byte[] value = value(i);
                echoed.add(executor.submit(() -> client.call(Command.of(ECHO, value))));
            }

            for (int i = 0; i < COMMANDS; i++) {
                assertThat(echoed.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(value(i));
            }
        }
    }

    @Test
    void manyFuturesOfOneThreadDoNotDeadlockWhenBothSidesWrite() throws Exception {
        try (RedisClient client = connect()) {
            List<CompletableFuture<byte[]>> echoed = new ArrayList<>();
            for (int i = 0; i < COMMANDS; i++) {
                echoed.add(client.send(Command.of(ECHO, value(i))));
            }

            for (int i = 0; i < COMMANDS; i++) {
                assertThat(echoed.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(value(i));
            }
        }
    }

    @Test
    void pipelineDoesNotDeadlockWhenBothSidesWrite() {
        try (RedisClient client = connect()) {
            Pipeline pipeline = client.pipeline();
            List<Result<byte[]>> echoed = new ArrayList<>();
            for (int i = 0; i < COMMANDS; i++) {
                echoed.add(pipeline.add(Command.of(ECHO, value(i))));
            }
            pipeline.run();

            for (int i = 0; i < COMMANDS; i++) {
                assertThat(echoed.get(i).value()).isEqualTo(value(i));
            }
        }
    }

    @Test
    void bulkWriterDoesNotDeadlockWhenBothSidesWrite() {
        BulkOptions wide = new BulkOptions(4_096, 1L << 30, Duration.ofSeconds(20));
        List<Long> echoed = new ArrayList<>();
        try (RedisClient client = connect();
                BulkWriter writer = client.bulkWriter(wide, (tag, command, outcome) -> {
                    assertThat(outcome).isInstanceOf(Outcome.Ok.class);
                    echoed.add(tag);
                })) {
            for (int i = 0; i < COMMANDS; i++) {
                writer.begin(ECHO).arg(value(i)).end(i);
            }
            writer.finish();

            assertThat(echoed).hasSize(COMMANDS).isSorted();
        }
    }

    /** Returns an array of one mebibyte. Each byte of the array is the lowest byte of {@code number}. */
    private static byte[] value(int number) {
        byte[] value = new byte[1 << 20];
        Arrays.fill(value, (byte) number);
        return value;
    }

    private RedisClient connect() {
        return clients.connect(server.uri(), options -> options.inFlightBytes(1L << 30));
    }
}
