// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.TestServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.ClientKillParams;

/** What is borrowed from a server goes back to it. */
class MemoryServerTest {

    @TempDir
    Path folder;

    /** Hashes of others, written meanwhile, would become tables and stay so. */
    @Test
    void limitThatIsHighEnoughIsLeftAsItIs() {
        try (var server = TestServer.start(folder);
                var memory = MemoryServer.open(server.endpoint(), 0)) {
            long before = memory.limit();

            memory.raiseLimit(before - 1);

            assertThat(memory.limit()).isEqualTo(before);
        }
    }

    @Test
    void limitIsRestoredThoughTheConnectionBroke() {
        try (var server = TestServer.start(folder);
                var another = server.connect()) {
            var memory = MemoryServer.open(server.endpoint(), 0);
            long before = memory.limit();
            memory.raiseLimit(before + 1_000);
            assertThat(memory.limit()).isEqualTo(before + 1_000);

            another.clientKill(
                    ClientKillParams.clientKillParams().type(ClientType.NORMAL).skipMe(ClientKillParams.SkipMe.YES));
            assertThatThrownBy(memory::close).isInstanceOf(JedisException.class);

            var name = "hash-max-listpack-entries";
            assertThat(another.configGet(name)).containsEntry(name, Long.toString(before));
        }
    }
}
