// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import java.time.Duration;

/** Reads a value that is larger than the heap. This is a separate program that runs with a small heap. */
final class LargeReplyRun {

    private static final int CHUNK_BYTES = 1 << 20;
    private static final int CHUNKS = 128;

    private LargeReplyRun() {}

    public static void main(String[] arguments) {
        Answer chunk = Answer.reply(new byte[CHUNK_BYTES]);
        Answer large = Answer.reply("$" + CHUNK_BYTES * CHUNKS + "\r\n");
        for (int i = 0; i < CHUNKS; i++) {
            large = large.then(chunk);
        }
        Answer reply = large;
        Handler handler = Handler.afterHandshake(
                command -> command.text(1).equals("large") ? reply : Answer.reply("$1\r\nv\r\n"));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client =
                        RedisClient.connect(ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                                .connectTimeout(Duration.ofSeconds(60))
                                .commandTimeout(Duration.ofSeconds(60))
                                .connections(1)
                                .build())) {
            ConnectionLostException failure =
                    catchThrowableOfType(ConnectionLostException.class, () -> client.call(Strings.get("large")));

            assertThat(failure).hasMessageContaining("reading failed: Java heap space");
            assertThat(client.call(Strings.get("small"))).hasValue("v");
            assertThat(server.commands().stream()
                            .filter(command -> command.name().equals("GET")))
                    .hasSize(2);
            assertThat(client.stats().reconnections()).isOne();
        }
    }
}
