// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import io.millrace.client.SelfDescribingCaller.CallerStats;
import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Runs one client at full rate for some seconds, with repeated connection losses. At the end the client uses no more
 * resources than at the start.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SoakTest {

    private static final int CALLERS = 32;
    private static final int COMMANDS_PER_ROUND = 100_000;
    private static final long SECONDS = Long.getLong("millrace.soakSeconds", 1);

    /**
     * The test allows the heap to grow by this number of bytes, because the JVM itself also uses heap. For example, the
     * JVM stores statistics, and constants of compiled code.
     */
    private static final long HEAP_NOISE_BYTES = 6L << 20;

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    /** The resources of this process that could leak: its threads, its file descriptors and its used heap. */
    private record Footprint(long threads, long descriptors, long heapBytes) {

        static Footprint now() {
            long least = Long.MAX_VALUE;
            for (int i = 0; i < 5; i++) {
                System.gc();
                LockSupport.parkNanos(20_000_000);
                least = Math.min(
                        least,
                        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
            }
            return new Footprint(threadsNow(), descriptorsNow(), least);
        }

        private static long threadsNow() {
            return Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().startsWith("millrace"))
                    .count();
        }

        private static long descriptorsNow() {
            return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                    ? unix.getOpenFileDescriptorCount()
                    : 0;
        }
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void threadsDescriptorsAndHeapDoNotGrowWithReconnections() throws Exception {
        long seed = Long.getLong("millrace.seed", System.nanoTime());
        System.out.println("seed: " + seed);
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RawConnection control = RawConnection.open(server.host(), server.port(), 3);
                RedisClient client = clients.connect(WatchedClients.uri(server))) {
            // The first round loads classes, compiles code and fills pools. These resources remain in use, so this
            // round is not measured.
            runRound(client, control, seed);
            Footprint before = Footprint.now();

            long rounds = 0;
            for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS); System.nanoTime() - end < 0; ) {
                runRound(client, control, seed + ++rounds);
                // The test drops the captured log records, because they would count as heap of the client. The test
                // does not need them.
                log.clear();
            }

            client.call(Server.ping());
            // Other threads of the JVM may use a file descriptor for a moment, so the test waits.
            Eventually.await(
                    "threads and descriptors are back",
                    () -> Footprint.threadsNow() == before.threads && Footprint.descriptorsNow() <= before.descriptors);
            Footprint after = Footprint.now();
            System.out.println("rounds=" + rounds + ", before=" + before + ", after=" + after + ", "
                    + client.stats().reconnections() + " reconnections");
            assertThat(client.stats().reconnections()).isGreaterThan(rounds);
            assertThat(after.threads).isEqualTo(before.threads);
            assertThat(after.descriptors).isLessThanOrEqualTo(before.descriptors);
            assertThat(after.heapBytes).isLessThan(before.heapBytes + HEAP_NOISE_BYTES);
        }
    }

    private static void runRound(RedisClient client, RawConnection control, long seed) throws InterruptedException {
        CallerStats callerStats = new CallerStats();
        List<Thread> callers = new ArrayList<>();
        for (int number = 0; number < CALLERS; number++) {
            callers.add(Thread.ofVirtual()
                    .start(new SelfDescribingCaller(client, number, COMMANDS_PER_ROUND / CALLERS, seed, callerStats)));
        }
        for (int kills = 1; callers.stream().anyMatch(Thread::isAlive); LockSupport.parkNanos(500_000)) {
            if (callerStats.issued.sum() > (long) kills * COMMANDS_PER_ROUND / 10) {
                kills++;
                control.run(Command.of("CLIENT KILL", "TYPE", "normal", "SKIPME", "yes"));
            }
        }
        assertThat(callerStats.wrong).isEmpty();
    }
}
