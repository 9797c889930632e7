// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.millrace.client.command.Command;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Histograms allocate no memory per command on the thread that records. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ListenerAllocationTest {

    private static final int WARM_UP = 1_000;
    private static final int COMMANDS = 100_000;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @Test
    void recordingAllocatesNothing() {
        CommandHistograms histograms = new CommandHistograms();
        FixedEnd end = new FixedEnd("GET", 123_456, 12_345);
        end(histograms, end, WARM_UP);

        long before = allocated();
        end(histograms, end, COMMANDS);
        long bytes = allocated() - before;

        // A single object per command would be 1,600,000 bytes.
        assertThat(bytes).isLessThan(COMMANDS / 10);
    }

    /**
     * Compares calls with and without histograms. The caller is the only caller, so it also writes and reads: its own
     * objects are the objects of the call.
     */
    @Test
    void callWithHistogramsAllocatesAsMuchAsACallWithoutAListener() {
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RedisClient plain = clients.connect(WatchedClients.uri(server));
                RedisClient listened = clients.connect(
                        WatchedClients.uri(server), options -> options.commandListener(new CommandHistograms()))) {
            Command<?> get = Strings.get("none");
            double least = Double.MAX_VALUE;
            for (int round = 0; round < 20; round++) {
                double without = bytesPerCall(plain, get);
                double with = bytesPerCall(listened, get);
                System.out.println("bytes per call: without=" + without + ", with=" + with);
                least = Math.min(least, Math.abs(with - without));
            }

            // The smallest object has 16 bytes.
            assertThat(least).isLessThan(8);
        }
    }

    private static void end(CommandHistograms histograms, FixedEnd end, int count) {
        for (int i = 0; i < count; i++) {
            histograms.ended(end);
        }
    }

    private static double bytesPerCall(RedisClient client, Command<?> command) {
        int calls = 1_000;
        long before = allocated();
        for (int i = 0; i < calls; i++) {
            client.call(command);
        }
        return (allocated() - before) / (double) calls;
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}
