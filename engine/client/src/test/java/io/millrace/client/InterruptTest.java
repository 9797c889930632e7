// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RefusedException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.resp.Reply;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Threads are interrupted at any time, also during a write. An interrupt ends only the wait of the interrupted thread.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class InterruptTest {

    private static final int CALLERS = 24;
    private static final int CALLS = Integer.getInteger("millrace.interruptedCalls", 12_000);

    private static EmbeddedRedis server;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private final long seed = Long.getLong("millrace.seed", System.nanoTime());
    private final LongAdder ok = new LongAdder();
    private final LongAdder interrupted = new LongAdder();
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void interruptedCallerDoesNotCloseTheSharedConnection() throws Exception {
        System.out.println("seed: " + seed);
        try (RedisClient client = clients.connect(WatchedClients.uri(server), options -> options.inFlight(64))) {
            Reply connectionBefore = client.call(Command.of("CLIENT ID"));
            List<Thread> callers = new ArrayList<>();
            for (int number = 0; number < CALLERS; number++) {
                Random random = new Random(seed + number);
                Runnable calling = () -> call(client, CALLS / CALLERS, random);
                callers.add(
                        number % 3 == 0
                                ? Thread.ofPlatform().start(calling)
                                : Thread.ofVirtual().start(calling));
            }
            interruptWhileAlive(callers);

            assertThat(failures).isEmpty();
            assertThat(interrupted.sum()).isGreaterThan(CALLS / 480);
            assertThat(client.call(Command.of("CLIENT ID"))).isEqualTo(connectionBefore);
            assertThat(client.stats().reconnections()).isZero();
            CommandCounts counts = client.counts();
            System.out.println("ok=" + ok + ", interrupted=" + interrupted + ", " + counts);
            assertThat(counts.lost() + counts.timedOut() + counts.error() + counts.pending())
                    .isZero();
        }
    }

    private void interruptWhileAlive(List<Thread> callers) {
        Random random = new Random(seed);
        while (callers.stream().anyMatch(Thread::isAlive)) {
            callers.get(random.nextInt(CALLERS)).interrupt();
            LockSupport.parkNanos(20_000);
        }
    }

    private void call(RedisClient client, int count, Random random) {
        byte[] value = new byte[200_000];
        for (int i = 0; i < count; i++) {
            try {
                Command<String> set =
                        Command.of(Strings.SET, "k" + random.nextInt(100), Arrays.copyOf(value, size(random)));
                switch (random.nextInt(4)) {
                    case 0 -> client.send(set).get();
                    case 1 -> runPipeline(client, set);
                    default -> client.call(set);
                }
                ok.increment();
            } catch (InterruptedCommandException | InterruptedException e) {
                interrupted.increment();
            } catch (Exception e) {
                // If a caller is interrupted while it waits for a permit, its command is refused. The future or the
                // result of this command then fails with a refusal.
                if (!refused(e)) {
                    failures.add(e);
                }
                interrupted.increment();
            }
            Thread.interrupted();
        }
    }

    private static void runPipeline(RedisClient client, Command<String> command) {
        Pipeline pipeline = client.pipeline();
        Result<String> last = pipeline.add(command);
        pipeline.add(Server.ping());
        pipeline.run();
        assertThat(last.value()).isEqualTo("OK");
    }

    private static boolean refused(Exception e) {
        return e instanceof RefusedException || e.getCause() instanceof RefusedException;
    }

    /**
     * Returns a random size of a value. Most sizes are small. Some sizes are too large for a single write to the
     * socket.
     */
    private static int size(Random random) {
        return random.nextInt(random.nextInt(50) == 0 ? 200_000 : 100);
    }
}
