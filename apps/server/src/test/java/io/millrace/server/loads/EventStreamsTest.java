// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.LoadEvent;
import io.millrace.load.RowCounts;
import io.millrace.server.loads.EventStreams.Event;
import io.millrace.testkit.ManualClock;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalDouble;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class EventStreamsTest {

    private static final long NEWEST = 1_000;

    /** The socket of a listener that does not read: a write of an event waits until the listener reads. */
    private static final class FullSocket extends ServletOutputStream {

        final ByteArrayOutputStream written = new ByteArrayOutputStream();
        final CountDownLatch full = new CountDownLatch(1);
        final Semaphore room = new Semaphore(0);

        volatile byte[] last = {};

        @Override
        public void write(int single) {
            write(new byte[] {(byte) single}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            last = bytes;
            if (new String(bytes, offset, length, StandardCharsets.UTF_8).startsWith("event")) {
                full.countDown();
                room.acquireUninterruptibly();
            }
            written.write(bytes, offset, length);
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new UnsupportedOperationException();
        }
    }

    private static HttpServletRequest request() {
        return stub(HttpServletRequest.class, "getRemoteAddr", "127.0.0.1");
    }

    private static HttpServletResponse response(FullSocket socket) {
        return stub(HttpServletResponse.class, "getOutputStream", socket);
    }

    private static <T> T stub(Class<T> type, String method, Object answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, called, arguments) -> called.getName().equals(method) ? answer : null));
    }

    @Test
    void listenerThatDoesNotReadGetsOnlyTheNewestEventLater() throws Exception {
        RunningLoad load = new RunningLoad(LoadRecord.started(1, "job", LoadRequest.UNCHANGED, Instant.EPOCH));
        FullSocket socket = new FullSocket();
        EventStreams streams = new EventStreams();
        EventStreams.Source source = version -> {
            long now = load.progress().version();
            return now <= version ? null : Event.of(now, "progress", "{}", now == NEWEST);
        };
        Thread listener = Thread.ofVirtual().start(() -> {
            try {
                streams.stream(request(), response(socket), source);
            } catch (IOException impossible) {
                throw new AssertionError(impossible);
            }
        });
        socket.full.await();

        Thread loading = Thread.ofVirtual().start(() -> {
            for (long event = 1; event <= NEWEST; event++) {
                load.on(new LoadEvent.Progress(
                        new RowCounts(event, event, 0, 0, 0), 0, event, 1.0, OptionalDouble.empty()));
            }
        });
        assertThat(loading.join(Duration.ofSeconds(60))).isTrue(); // the load does not wait for the listener
        socket.room.release(2);
        listener.join();

        assertThat(socket.written.toString(StandardCharsets.UTF_8))
                .isEqualTo(": millrace\n\nevent: progress\nid: 0\ndata: {}\n\n"
                        + "event: progress\nid: 1000\ndata: {}\n\n");
        assertThat(streams.count()).isZero();
    }

    /** Only a write detects a closed connection, and a place in the limits is free only then. */
    @Test
    void silentStreamHasACommentEverySecond() throws Exception {
        ManualClock clock = new ManualClock();
        FullSocket socket = new FullSocket();
        socket.room.release();
        AtomicLong looks = new AtomicLong();

        new EventStreams(clock).stream(request(), response(socket), version -> {
            clock.advance(Duration.ofMillis(500));
            return looks.incrementAndGet() == 5 ? Event.of(1, "end", "{}", true) : null;
        });

        assertThat(socket.written.toString(StandardCharsets.UTF_8))
                .isEqualTo(": millrace\n\n:\n\n:\n\nevent: end\nid: 1\ndata: {}\n\n");
    }

    /** The bytes of a history are shared by all streams. */
    @Test
    void eventIsWrittenWithoutACopy() throws Exception {
        Event event = Event.of(1, "history", "[]", true);
        FullSocket socket = new FullSocket();
        socket.room.release();

        new EventStreams().stream(request(), response(socket), version -> event);

        assertThat(socket.last).isSameAs(event.bytes());
    }
}
