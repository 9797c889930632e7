// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.TimedOutException;
import io.millrace.embedded.EmbeddedRedis;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/**
 * A process without a recording loads no event class: the JVM needs up to 100 ms to load the first event class, and a
 * caller or the reader would wait for this time.
 */
class RecorderClassesTest {

    @Test
    void stallTimeoutLateReplyRefusalAndReconnectLoadNoEventClass() throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            ChildJvm.ProcessExit exit =
                    ChildJvm.run(Failing.class, 64, Duration.ofMinutes(2), Integer.toString(redis.port()));

            assertThat(exit.output()).contains("stalled, timed out, late reply, refused, reconnected");
            assertThat(exit.output()).contains("event classes: 0");
            assertThat(exit.exit()).isZero();
        }
    }

    /** Causes the events of all rare kinds. */
    static final class Failing {

        private Failing() {}

        public static void main(String[] args) throws Exception {
            RedisUri server = RedisUri.of("127.0.0.1", Integer.parseInt(args[0]));
            try (RedisClient client = RedisClient.connect(ClientOptions.builder(server)
                            .connections(1)
                            .inFlight(2)
                            .build());
                    RedisClient refusing = RedisClient.connect(ClientOptions.builder(server)
                            .connections(1)
                            .inFlight(1)
                            .overflow(Overflow.REFUSE)
                            .build())) {
                Pipeline pipeline = client.pipeline();
                for (int i = 0; i < 1_000; i++) {
                    pipeline.add(Strings.get("k" + i));
                }
                pipeline.run();
                client.call(Command.of("CLIENT PAUSE", "100", "ALL"));
                boolean timedOut = false;
                try {
                    client.call(Strings.get("k").within(Duration.ofMillis(1)));
                } catch (TimedOutException e) {
                    timedOut = true;
                }
                CompletableFuture<Optional<String>> first = refusing.send(Strings.get("k"));
                boolean refused = refusing.send(Strings.get("k")).isCompletedExceptionally();
                first.join();
                client.call(Strings.get("k"));
                boolean late = client.stats().lateReplies() == 1;
                refusing.call(Command.of("CLIENT KILL", "TYPE", "normal", "SKIPME", "yes"));
                while (client.stats().reconnections() == 0) {
                    Thread.onSpinWait();
                }
                System.out.println((timedOut && late ? "stalled, timed out, late reply" : "no late reply")
                        + (refused ? ", refused" : ", not refused") + ", reconnected");
            }
            System.out.println("event classes: " + eventClasses());
        }

        private static long eventClasses() throws Exception {
            String histogram = (String) ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "vmClassHierarchy",
                            new Object[] {new String[] {"jdk.jfr.Event", "-s"}},
                            new String[] {String[].class.getName()});
            return histogram
                    .lines()
                    .filter(line -> line.contains("io.millrace"))
                    .count();
        }
    }
}
