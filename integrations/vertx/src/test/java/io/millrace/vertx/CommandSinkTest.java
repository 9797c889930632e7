// SPDX-License-Identifier: Apache-2.0
package io.millrace.vertx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests streams of commands. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CommandSinkTest {

    private static final int WINDOW = 64;

    @RegisterExtension
    final TestVertx test = new TestVertx();

    private final EmbeddedRedis server = EmbeddedRedis.start();
    private VertxRedis redis;

    @BeforeEach
    void connect() throws Exception {
        redis = test.onEventLoop(() -> VertxRedis.connect(
                test.vertx(),
                TestVertx.options(TestVertx.uri(server)).inFlight(WINDOW).build()));
    }

    @AfterEach
    void close() throws Exception {
        TestVertx.await(redis.close());
        server.close();
    }

    @Test
    void pipeSendsEveryRowAndIsNeverRefused() throws Exception {
        int rows = 10_000;

        test.onEventLoop(() -> new CountingSource(test.vertx().getOrCreateContext(), rows)
                .commands(number -> Strings.set("row:" + number, "v"))
                .pipeTo(redis.sink()));

        assertThat(test.<Long>onEventLoop(() -> redis.send(Server.size()))).isEqualTo(rows);
        assertThat(redis.client().counts().refused()).isZero();
    }

    @Test
    void sinkIsFullAtHalfOfTheWindowAndDrainsOnItsContext() throws Exception {
        CompletableFuture<Context> drained = new CompletableFuture<>();

        Context context = test.vertx().getOrCreateContext();

        TestVertx.on(context, () -> {
            CommandSink sink = redis.sink();
            int writes = 0;
            for (; !sink.writeQueueFull(); writes++) {
                sink.write(Strings.set("k", "v"));
            }
            assertThat(writes).isEqualTo(WINDOW / 2);
            sink.drainHandler(unused -> {
                assertThat(sink.writeQueueFull()).isFalse();
                drained.complete(Vertx.currentContext());
            });
            return Future.<Void>succeededFuture();
        });

        assertThat(TestVertx.await(drained)).isSameAs(context);
    }

    @Test
    void largeCommandsFillTheSinkByTheirBytes() throws Exception {
        test.onEventLoop(() -> {
            CommandSink sink = redis.sink();
            int writes = 0;
            for (; !sink.writeQueueFull(); writes++) {
                sink.write(Strings.set("large", "v".repeat(1 << 20)));
            }
            assertThat(writes).isEqualTo(4); // half of inFlightBytes
            return sink.end();
        });

        assertThat(redis.client().counts().ok()).isEqualTo(4);
    }

    @Test
    void failedCommandFailsItsWriteAndTheEndButNotLaterWrites() throws Exception {
        List<Throwable> failures = new ArrayList<>();
        Promise<CommandSink> used = Promise.promise();

        assertThatThrownBy(() -> test.onEventLoop(() -> {
                    CommandSink sink = redis.sink();
                    used.complete(sink);
                    sink.exceptionHandler(failures::add);
                    sink.write(Strings.set("text", "v"));
                    Future<Void> wrong = sink.write(Lists.pushRight("text", "v"));
                    Future<Void> right = sink.write(Strings.set("later", "v"));
                    return wrong.otherwiseEmpty().compose(unused -> right).compose(unused -> sink.end());
                }))
                .isInstanceOf(ErrorReplyException.class);

        assertThat(failures).singleElement().isInstanceOf(ErrorReplyException.class);
        CommandSink sink = used.future().result();
        assertThat(sink.written()).isEqualTo(2);
        assertThat(sink.failed()).isEqualTo(1);
        assertThatThrownBy(() -> TestVertx.await(sink.write(Strings.set("k", "v"))))
                .hasMessageContaining("write() after end()");
    }

    @Test
    void pipeEndsWithItsFirstFailedWrite() {
        assertThatThrownBy(() -> test.onEventLoop(() -> new CountingSource(
                                test.vertx().getOrCreateContext(), 1_000_000)
                        .commands(number -> number == 500 ? Lists.pushRight("row", "v") : Strings.set("row", "v"))
                        .pipeTo(redis.sink())))
                .isInstanceOf(ErrorReplyException.class);
        assertThat(redis.client().counts().submitted()).isLessThan(1_000_000);
    }

    @Test
    void endOfAnEmptySinkCompletes() throws Exception {
        test.onEventLoop(() -> redis.sink().end());
        test.onEventLoop(() -> redis.sink().end(Strings.set("last", "v")));

        assertThat(test.onEventLoop(() -> redis.send(Strings.get("last")))).contains("v");
    }

    @Test
    void foreignThreadsMayWrite() throws Exception {
        CommandSink sink = test.onEventLoop(() -> Future.succeededFuture(redis.sink()));
        for (int i = 0; i < 2_000; i++) {
            if (sink.writeQueueFull()) {
                CompletableFuture<Void> drained = new CompletableFuture<>();
                sink.drainHandler(drained::complete);
                TestVertx.await(drained);
            }
            sink.write(Strings.set("k" + i, "v"));
        }

        TestVertx.await(sink.end());

        assertThat(sink.written()).isEqualTo(2_000);
    }

    @Test
    void sizeOutOfRangeIsRejected() throws Exception {
        CommandSink sink = test.onEventLoop(() -> Future.succeededFuture(redis.sink()));

        assertThatIllegalArgumentException().isThrownBy(() -> sink.setWriteQueueMaxSize(0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> sink.setWriteQueueMaxSize(WINDOW + 1))
                .withMessageContaining("1 to " + WINDOW);
        Command<?> blocking = Lists.awaitLeft(java.time.Duration.ofSeconds(1), "q");
        assertThatIllegalArgumentException().isThrownBy(() -> sink.write(blocking));
        TestVertx.await(sink.end());
    }
}
