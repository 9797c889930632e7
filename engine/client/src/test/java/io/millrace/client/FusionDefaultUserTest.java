// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests fusion for a default user that needs no password and has access to some keys only. A denied command must not
 * affect the other commands.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FusionDefaultUserTest {

    private static final int COMMANDS = 512;
    private static final int DENIED = 8;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private EmbeddedRedis server;
    private RedisClient admin;

    @BeforeEach
    void restrictTheDefaultUser() {
        server = EmbeddedRedis.start();
        try (RedisClient setUp = clients.connect(uri(server))) {
            setUp.call(Command.of("ACL SETUSER", "admin", "on", ">secret", "~*", "&*", "+@all"));
            setUp.call(Command.of("ACL SETUSER", "default", "resetkeys", "~own:*"));
        }
        admin = clients.connect(uri(server).withLogin("admin", "secret"));
    }

    @AfterEach
    void stopServer() {
        admin.close();
        server.close();
    }

    private static String key(int i) {
        return (i % (COMMANDS / DENIED) == 5 ? "other:" : "own:") + i;
    }

    private void checkWritten(long failed) {
        assertThat(failed).isEqualTo(DENIED);
        assertThat(admin.call(Server.size())).isEqualTo(COMMANDS - DENIED);
    }

    @Test
    void onlyTheDeniedCommandsOfAPipelineFail() {
        try (RedisClient client = clients.connect(uri(server))) {
            Pipeline pipeline = client.pipeline();
            IntStream.range(0, COMMANDS).forEach(i -> pipeline.add(Strings.set(key(i), "v")));
            List<Result<?>> results = pipeline.run();

            checkWritten(results.stream()
                    .filter(result -> result.outcome() instanceof Outcome.Failed)
                    .count());
        }
    }

    @Test
    void onlyTheDeniedCommandsOfABulkWriterFail() {
        List<Outcome> outcomes = new ArrayList<>();
        try (RedisClient client = clients.connect(uri(server));
                BulkWriter writer =
                        client.bulkWriter(BulkOptions.DEFAULT, (tag, spec, outcome) -> outcomes.add(outcome))) {
            IntStream.range(0, COMMANDS)
                    .forEach(i -> writer.begin(Strings.SET).arg(key(i)).arg("v").end(i));
            writer.finish();

            checkWritten(
                    outcomes.stream().filter(Outcome.Failed.class::isInstance).count());
        }
    }

    @Test
    void onlyTheDeniedCommandsOfManyThreadsFail() throws InterruptedException {
        AtomicInteger failed = new AtomicInteger();
        CountDownLatch ready = new CountDownLatch(COMMANDS);
        try (RedisClient client = clients.connect(uri(server));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < COMMANDS; i++) {
                String key = key(i);
                threads.execute(() -> {
                    ready.countDown();
                    try {
                        ready.await();
                        client.call(Strings.set(key, "v"));
                    } catch (ErrorReplyException e) {
                        failed.incrementAndGet();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            }
        }

        checkWritten(failed.get());
    }
}
