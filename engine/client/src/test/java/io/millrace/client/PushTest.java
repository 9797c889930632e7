// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.TIMEOUT;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.resp.Reply;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests pushes: messages of the server that are not replies. The client separates pushes from replies. The push
 * listener receives one push at a time, and does not delay other work of the client.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class PushTest {

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    private final ConcurrentLinkedQueue<String> received = new ConcurrentLinkedQueue<>();

    private void addPush(Reply.Push push) {
        received.add(push.items().stream().map(PushTest::shown).toList().toString());
    }

    private static String shown(Reply item) {
        return item instanceof Reply.ArrayReply array
                ? array.items().stream().map(PushTest::shown).toList().toString()
                : Replies.text(item);
    }

    @Test
    void listenerReceivesTheInvalidationOfATrackedKey() {
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RedisClient client = clients.connect(uri(server), options -> options.pushListener(this::addPush))) {
            try (DedicatedConnection tracking = client.borrow()) {
                tracking.call(Command.of("CLIENT TRACKING", "ON"));
                tracking.call(Strings.get("watched"));
                client.call(Strings.set("other", "v"));

                client.call(Strings.set("watched", "v"));
                Eventually.await("the invalidation is received", () -> !received.isEmpty());

                assertThat(received).containsExactly("[invalidate, [watched]]");
                assertThat(tracking.call(Strings.get("watched"))).hasValue("v");
            }
            client.call(Strings.set("watched", "later"));
            assertThat(client.call(Strings.get("watched"))).hasValue("later");
            assertThat(received).hasSize(1);
        }
    }

    @Test
    void pushesAndRepliesAreSeparatedIfTheByteStreamIsSplitAtAnyByte() {
        String before = ">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\na\r\n";
        String after = ">2\r\n+note\r\n%1\r\n+k\r\n:7\r\n";
        int length = before.length() + "$3\r\n000\r\n".length() + after.length();
        Handler handler = Handler.afterHandshake(command -> {
            String all = before + "$3\r\n" + command.text(1) + "\r\n" + after;
            int split = Integer.parseInt(command.text(1));
            return Answer.reply(all.substring(0, split))
                    .then(Answer.reply(all.substring(split)).delayedBy(Duration.ofMillis(1)));
        });
        AtomicInteger pushes = new AtomicInteger();
        try (FakeRedis fake = FakeRedis.start(handler);
                RedisClient client =
                        clients.connect(uri(fake), options -> options.pushListener(push -> pushes.incrementAndGet()))) {
            for (int split = 0; split <= length; split++) {
                String key = String.format(Locale.ROOT, "%03d", split);

                assertThat(client.call(Strings.get(key))).hasValue(key);
            }

            int expected = 2 * (length + 1);
            Eventually.await("all pushes are received", () -> pushes.get() == expected);
            assertThat(client.stats().droppedPushes()).isZero();
        }
    }

    @Test
    void repliesOfAPipelineAreCorrectIfPushesArriveBetweenThemByteByByte() {
        Handler handler = Handler.afterHandshake(
                command -> Answer.inPieces(">1\r\n+before\r\n" + echo(command) + ">1\r\n+after\r\n", 1));
        try (FakeRedis fake = FakeRedis.start(handler);
                RedisClient client = clients.connect(uri(fake), options -> options.pushListener(this::addPush))) {
            Pipeline pipeline = client.pipeline();
            List<String> keys =
                    IntStream.range(0, 300).mapToObj(i -> "key " + i).toList();
            keys.forEach(key -> pipeline.add(Strings.get(key)));

            List<Result<?>> results = pipeline.run();

            assertThat(results.stream().map(result -> result.value().toString()))
                    .isEqualTo(keys.stream().map(key -> "Optional[" + key + "]").toList());
            Eventually.await("all pushes are received", () -> received.size() == 600);
        }
    }

    @Test
    void blockingListenerDelaysNoCallerAndExcessPushesAreDroppedAndCounted() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        int pushes = 3_000;
        Handler handler = Handler.afterHandshake(command -> Answer.reply(
                        ">1\r\n+push\r\n".repeat(command.text(1).equals("flood") ? pushes : 0))
                .then(Answer.reply(echo(command))));
        AtomicInteger taken = new AtomicInteger();
        PushListener slow = push -> {
            taken.incrementAndGet();
            blocked.countDown();
            try {
                release.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        try (FakeRedis fake = FakeRedis.start(handler);
                RedisClient client = clients.connect(uri(fake), options -> options.pushListener(slow))) {
            client.call(Strings.get("flood"));
            assertThat(blocked.await(60, TimeUnit.SECONDS)).isTrue();

            assertThat(client.call(Strings.get("another"))).hasValue("another");
            long dropped = client.stats().droppedPushes();
            assertThat(taken).hasValue(1);
            release.countDown();
            Eventually.await("the remaining pushes are received", () -> taken.get() + dropped == pushes);

            assertThat(dropped).isBetween(pushes - 1_024L - 64, pushes - 1_024L);
            assertThat(client.stats().droppedPushes()).isEqualTo(dropped);
        }
    }

    @Test
    void listenerReceivesTheNextPushAfterAnException() {
        PushListener throwing = push -> {
            addPush(push);
            String kind = Replies.text(push.items().getFirst());
            if (kind.equals("error")) {
                throw new AssertionError("thrown by the listener");
            }
            if (kind.equals("exception")) {
                throw new IllegalStateException("thrown by the listener");
            }
        };
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply(echo(command))));
                RedisClient client = clients.connect(uri(fake), options -> options.pushListener(throwing))) {

            for (String kind : List.of("exception", "error", "fine")) {
                fake.send(0, Answer.push(kind));
            }
            Eventually.await("all pushes are received", () -> received.size() == 3);
            fake.send(0, Answer.push("later"));
            Eventually.await("the later push is received", () -> received.size() == 4);

            assertThat(received).containsExactly("[exception]", "[error]", "[fine]", "[later]");
            assertThat(client.call(Strings.get("k"))).hasValue("k");
            assertThat(log.warnings()).hasSize(2).allMatch(line -> line.contains("a push listener failed"));
        }
    }

    @Test
    void listenerReceivesOnePushAtATimeInOrderOnAVirtualThreadAndMayUseTheClient() {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger wrong = new AtomicInteger();
        RedisClient[] clientRef = new RedisClient[1];
        PushListener listener = push -> {
            if (inside.incrementAndGet() != 1 || !Thread.currentThread().isVirtual()) {
                wrong.incrementAndGet();
            }
            clientRef[0].call(Strings.get("from the listener"));
            addPush(push);
            inside.decrementAndGet();
        };
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply(echo(command))));
                RedisClient client = clients.connect(uri(fake), options -> options.pushListener(listener))) {
            clientRef[0] = client;
            for (int i = 0; i < 200; i++) {
                fake.send(0, Answer.push("number", Integer.toString(i)));
            }

            Eventually.await("all pushes are received", () -> received.size() == 200);

            assertThat(wrong).hasValue(0);
            assertThat(received)
                    .containsExactlyElementsOf(IntStream.range(0, 200)
                            .mapToObj(i -> "[number, " + i + "]")
                            .toList());
        }
    }

    @Test
    void pushesWithoutAListenerAreNeitherKeptNorCounted() {
        try (FakeRedis fake = FakeRedis.start(
                        Handler.afterHandshake(command -> Answer.reply(">1\r\n+push\r\n" + echo(command))));
                RedisClient client = clients.connect(uri(fake))) {
            for (int i = 0; i < 2_000; i++) {
                assertThat(client.call(Strings.get("k").within(TIMEOUT))).hasValue("k");
            }

            assertThat(client.stats().droppedPushes()).isZero();
        }
    }

    private static String echo(ReceivedCommand command) {
        String key = command.text(1);
        return "$" + key.length() + "\r\n" + key + "\r\n";
    }
}
