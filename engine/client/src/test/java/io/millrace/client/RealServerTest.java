// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.resp.Reply;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadLeft.class)
class RealServerTest {

    private static final CommandSpec<String> ECHO = CommandSpec.of("ECHO", Replies::text);

    private static EmbeddedRedis server;

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void clientAndServerDoNotDeadlockWhenBothWriteManyBytes() {
        // Both sides send many more bytes than the socket buffers hold, before any thread waits for a reply.
        byte[] large = new byte[1 << 20];
        BulkOptions wide = new BulkOptions(4_096, 1L << 30, Duration.ofSeconds(60));
        AtomicLong bytes = new AtomicLong();
        try (RedisClient client = connect();
                BulkWriter writer = client.bulkWriter(wide, (tag, command, outcome) -> {
                    if (outcome instanceof Outcome.Ok(Reply.BulkString echoed)) {
                        bytes.addAndGet(echoed.bytes().length);
                    }
                })) {

            for (int i = 0; i < 100; i++) {
                writer.begin(ECHO).arg(large);
                writer.end(i);
            }
            writer.finish();

            assertThat(bytes).hasValue(100L << 20);
        }
    }

    @Test
    void binaryKeyAndValueAreReturnedUnchanged() {
        byte[] key = {'k', '\r', '\n', 0, (byte) 0xff, (byte) 0xc3};
        byte[] value = {0, '\n', '\r', '$', '5', (byte) 0x80};
        try (RedisClient client = connect()) {
            client.call(Command.of(Strings.SET, key, value));

            Optional<byte[]> read = client.call(Strings.get(key));

            assertThat(read).hasValue(value);
        }
    }

    @Test
    void commandsInFlightStayWithinTheLimitWhileTheServerStalls() throws InterruptedException {
        BulkOptions limited = new BulkOptions(1_000, 1 << 20, Duration.ofSeconds(60));
        int commands = 50_000;
        try (EmbeddedRedis stalling = EmbeddedRedis.start();
                RedisClient client =
                        RedisClient.connect(ClientOptions.builder(RedisUri.of(stalling.host(), stalling.port()))
                                .connectTimeout(Duration.ofSeconds(60))
                                .build());
                BulkWriter writer = client.bulkWriter(limited, (tag, command, outcome) -> {})) {
            stalling.pause();
            Thread resumer = Thread.ofPlatform().start(() -> {
                while (writer.counts().pending() < 1_000) {
                    Thread.onSpinWait();
                }
                stalling.resume();
            });

            for (int i = 0; i < commands; i++) {
                writer.begin(Strings.SET).arg("k" + i).arg("v");
                writer.end(i);
            }
            writer.finish();

            assertThat(writer.counts()).isEqualTo(new CommandCounts(commands, commands, 0, 0, 0, 0, 0));
            assertThat(writer.traffic().peakInFlight()).isEqualTo(1_000);
            assertThat(resumer.join(Duration.ofSeconds(60))).isTrue();
        }
    }

    @Test
    void serverChecksThePasswordAndExceptionsDoNotShowThePassword() {
        try (EmbeddedRedis guarded =
                EmbeddedRedis.start(EmbeddedOptions.defaults().withPassword("marked-secret"))) {
            RedisUri open = RedisUri.of(guarded.host(), guarded.port());

            ConnectException none = catchThrowableOfType(ConnectException.class, () -> RedisClient.connect(open));
            ConnectException wrong = catchThrowableOfType(
                    ConnectException.class, () -> RedisClient.connect(open.withPassword("marked-wrong")));

            assertThat(none.reason()).isEqualTo(Reason.AUTHENTICATION);
            assertThat(wrong.reason()).isEqualTo(Reason.AUTHENTICATION);
            assertThat(none.toString() + wrong).doesNotContain("marked");
            try (RedisClient client = RedisClient.connect(open.withPassword("marked-secret"))) {
                assertThat(client.call(Server.ping())).isEqualTo("PONG");
            }
        }
    }

    private static RedisClient connect() {
        return RedisClient.connect(ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                .connectTimeout(Duration.ofSeconds(60))
                .build());
    }
}
