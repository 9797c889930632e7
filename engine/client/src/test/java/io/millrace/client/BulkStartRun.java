// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import java.time.Duration;

/**
 * Opens a bulk writer that needs more memory than the heap has. This is a separate program that runs with a small heap.
 */
final class BulkStartRun {

    private BulkStartRun() {}

    public static void main(String[] arguments) {
        BulkOptions large = new BulkOptions(1 << 20, 1 << 20, Duration.ofSeconds(60));
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+OK\r\n")));
                RedisClient client =
                        RedisClient.connect(ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                                .connections(1)
                                .build())) {

            Throwable failure = catchThrowable(() -> client.bulkWriter(large, (tag, command, outcome) -> {}));

            assertThat(failure).isInstanceOf(OutOfMemoryError.class);
            server.awaitDisconnections(1, Duration.ofSeconds(20));
            assertThat(client.stats().connections()).hasSize(1);
        }
    }
}
