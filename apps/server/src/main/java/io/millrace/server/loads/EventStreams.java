// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import io.millrace.server.gate.Admission;
import io.millrace.server.gate.ClientAddress;
import io.millrace.server.gate.Problem;
import io.millrace.server.gate.Refusal;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Streams of server-sent events. Thread-safe.
 *
 * <p>DESIGN. A stream is the virtual thread of its request. The thread looks for a new event every {@link #LOOK}, and writes
 * the newest one. A load does not send to a stream, so a load never waits for a stream, and a stream needs no queue. A listener
 * that does not read blocks its own thread in the socket, and Tomcat ends the connection after its timeout.
 */
@Component
public class EventStreams {

    /** Streams of one address. A browser has at most six connections to a server. */
    public static final int PER_ADDRESS = 8;

    static final int IN_ALL = 200;

    /** Five times a second: a progress bar looks smooth, and 200 streams cost 1,000 short wake-ups. */
    private static final Duration LOOK = Duration.ofMillis(200);

    /**
     * The second write after the end of a connection fails. Nothing else shows the end. So a stream without events frees its
     * place after two seconds. Proxies and browsers close a connection that is silent for some time, often 15 s.
     */
    private static final Duration COMMENT = Duration.ofSeconds(1);

    private static final byte[] BEGIN = ": millrace\n\n".getBytes(StandardCharsets.UTF_8);
    private static final byte[] EMPTY_COMMENT = ":\n\n".getBytes(StandardCharsets.UTF_8);

    private final LongSupplier nanoTime;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final ReentrantLock lock = new ReentrantLock();

    /** Number of streams of each address. Guarded by {@link #lock}. */
    private final Map<String, Integer> open = new HashMap<>();

    /** Guarded by {@link #lock}. */
    private int all;

    public EventStreams() {
        this(System::nanoTime);
    }

    EventStreams(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** The events of one stream. */
    @FunctionalInterface
    public interface Source {

        /** Returns the newest event if it is newer than {@code version}; null otherwise. Does not block. */
        @Nullable
        Event after(long version);
    }

    /**
     * An event.
     *
     * @param bytes the whole event in the form of the stream. All streams may share the bytes
     * @param last whether the stream ends after this event
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Event(long version, byte[] bytes, boolean last) {

        /** Creates an event. {@code data} is one line. */
        public static Event of(long version, String name, String data, boolean last) {
            String text = "event: " + name + "\nid: " + version + "\ndata: " + data + "\n\n";
            return new Event(version, text.getBytes(StandardCharsets.UTF_8), last);
        }
    }

    /**
     * Writes events until the last one, until the client closes the connection, until the session of the request ends, or
     * until the server stops. A request with the method HEAD gets only the headers: the end of its connection could not be
     * detected, because an answer to HEAD has no body.
     *
     * @throws Refusal if there are too many streams
     */
    public void stream(HttpServletRequest request, HttpServletResponse response, Source source) throws IOException {
        if ("HEAD".equals(request.getMethod())) {
            setType(response);
            return;
        }
        String address = ClientAddress.of(request);
        enter(address);
        try {
            setType(response);
            write(response.getOutputStream(), source, Admission.of(request));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            leave(address);
        }
    }

    private static void setType(HttpServletResponse response) {
        response.setContentType("text/event-stream");
        response.setCharacterEncoding("UTF-8");
    }

    private void write(OutputStream out, Source source, BooleanSupplier admitted)
            throws IOException, InterruptedException {
        long version = -1;
        long written = nanoTime.getAsLong();
        send(out, BEGIN);
        while (admitted.getAsBoolean()) {
            Event event = source.after(version);
            if (event != null) {
                send(out, event.bytes());
                version = event.version();
                written = nanoTime.getAsLong();
                if (event.last()) {
                    return;
                }
            } else if (nanoTime.getAsLong() - written >= COMMENT.toNanos()) {
                send(out, EMPTY_COMMENT);
                written = nanoTime.getAsLong();
            }
            if (closed.await(LOOK.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
        }
    }

    private static void send(OutputStream out, byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    private void enter(String address) {
        lock.lock();
        try {
            int ofAddress = open.getOrDefault(address, 0);
            if (ofAddress >= PER_ADDRESS || all >= IN_ALL) {
                throw new Refusal(
                        Problem.TOO_MANY,
                        "There are " + ofAddress + " event streams of this address, and " + all + " in all.",
                        5);
            }
            open.put(address, ofAddress + 1);
            all++;
        } finally {
            lock.unlock();
        }
    }

    private void leave(String address) {
        lock.lock();
        try {
            all--;
            open.computeIfPresent(address, (same, count) -> count == 1 ? null : count - 1);
        } finally {
            lock.unlock();
        }
    }

    /** Number of open streams. */
    public int count() {
        lock.lock();
        try {
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** Ends all streams before the web server waits for its requests. */
    @EventListener
    void onClose(ContextClosedEvent event) {
        closed.countDown();
    }
}
