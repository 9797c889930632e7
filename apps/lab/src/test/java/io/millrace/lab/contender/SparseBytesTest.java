// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.run.LabException;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SparseBytesTest {

    @Test
    void aLoneCallerIsSentAsItIsWithFusionAndWithout() {
        try (var server = EmbeddedRedis.start()) {
            for (var fusion : Set.of(Fusion.ALL_EXACT, Fusion.NONE)) {
                try (var client = connect(server, fusion)) {
                    SparseBytes.check(client);
                }
            }
        }
    }

    @Test
    void bytesOfOthersAreFound() throws InterruptedException {
        try (var server = EmbeddedRedis.start();
                var client = connect(server, Fusion.NONE);
                var other = connect(server, Fusion.NONE)) {
            var disturbing = Thread.ofVirtual().start(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    other.send(Strings.get("x")).join();
                }
            });

            assertThatThrownBy(() -> SparseBytes.check(client))
                    .isInstanceOf(LabException.class)
                    .hasMessageContaining("not sent as they are");

            disturbing.interrupt();
            disturbing.join();
        }
    }

    private static RedisClient connect(EmbeddedRedis server, Set<Fusion> fusion) {
        return RedisClient.connect(ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                .fusion(fusion)
                .build());
    }
}
