// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.TIMEOUT;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests pipelines with a listener. The listener receives every result once and in order, even if the listener throws an
 * exception.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class PipelineListenerTest {

    private static EmbeddedRedis server;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void listenerReceivesEveryResultInOrderAndThePipelineKeepsNoResult() {
        int commands = 50_000;
        List<Long> numbers = new ArrayList<>();
        List<String> wrong = new ArrayList<>();
        Thread caller = Thread.currentThread();
        try (RedisClient client = clients.connect(uri(server))) {
            Pipeline pipeline = client.pipeline((index, result) -> {
                numbers.add(index);
                if (!result.value().equals("message " + index)
                        || !Thread.currentThread().equals(caller)) {
                    wrong.add(index + ": " + result);
                }
            });

            int maxUnreported = 0;
            for (int i = 0; i < commands; i++) {
                pipeline.add(Server.echo("message " + i));
                maxUnreported = Math.max(maxUnreported, i + 1 - numbers.size());
            }
            List<Result<?>> kept = pipeline.run();

            assertThat(kept).isEmpty();
            assertThat(wrong).isEmpty();
            assertThat(numbers)
                    .isEqualTo(
                            IntStream.range(0, commands).mapToObj(Long::valueOf).toList());
            // After a read, the reader releases the permits of all answered commands, and then announces the commands.
            // Between these two steps the pipeline can fill the window again. So up to two windows of commands are not
            // reported, and in addition one batch that the pipeline still collects.
            assertThat(maxUnreported).isLessThanOrEqualTo(2 * ClientOptions.IN_FLIGHT.defaultValue() + 512);
        }
    }

    @Test
    void listenerReceivesTheNextResultAfterAnException() {
        int commands = 3_000;
        List<Long> numbers = new ArrayList<>();
        int failures = 0;
        try (RedisClient client = clients.connect(uri(server))) {
            Pipeline pipeline = client.pipeline((index, result) -> {
                numbers.add(index);
                if (!result.value().equals("message " + index)) {
                    throw new AssertionError("wrong number: " + index);
                }
                if (index % 7 == 3) {
                    throw new IllegalArgumentException("number " + index);
                }
            });

            for (int i = 0; i < commands; i++) {
                Command<String> command = Server.echo("message " + i);
                if (catchThrowable(() -> pipeline.add(command)) != null) {
                    failures++;
                }
            }
            Throwable failure = catchThrowable(pipeline::run);
            while (failure != null) {
                assertThat(failure).isInstanceOf(IllegalArgumentException.class);
                failures++;
                failure = catchThrowable(pipeline::run);
            }

            assertThat(numbers)
                    .isEqualTo(
                            IntStream.range(0, commands).mapToObj(Long::valueOf).toList());
            assertThat(failures).isEqualTo((commands + 3) / 7);
            assertThat(client.counts().ok()).isEqualTo(commands);
        }
    }

    @Test
    void listenerMustNotUseItsOwnPipelineButMayUseAnotherPipeline() {
        AtomicReference<Pipeline> own = new AtomicReference<>();
        List<String> replies = new ArrayList<>();
        try (RedisClient client = clients.connect(uri(server))) {
            own.set(client.pipeline((index, result) -> {
                assertThatThrownBy(() -> own.get().add(Server.ping())).isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(() -> own.get().run()).isInstanceOf(IllegalStateException.class);
                Pipeline another = client.pipeline();
                another.add(Server.ping());
                replies.add(another.run().getFirst().value() + client.call(Server.echo("!")));
            }));
            own.get().add(Server.ping());

            own.get().run();

            assertThat(replies).containsExactly("PONG!");
        }
    }

    @Test
    void resultsMissingAfterAnInterruptedRunAreReportedByTheNextRun() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        List<Long> numbers = new ArrayList<>();
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(
                        command -> Answer.reply("+PONG\r\n").heldUntil(released)));
                RedisClient client = clients.connect(uri(fake))) {
            Pipeline pipeline = client.pipeline((index, result) -> numbers.add(index));
            pipeline.add(Server.ping());
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            Thread runner = Thread.ofVirtual().start(() -> thrown.set(catchThrowable(pipeline::run)));
            fake.awaitCommands(3, TIMEOUT);

            runner.interrupt();
            runner.join();
            assertThat(thrown.get()).isInstanceOf(InterruptedCommandException.class);
            assertThat(numbers).isEmpty();
            released.countDown();
            pipeline.run();

            assertThat(numbers).containsExactly(0L);
        }
    }
}
