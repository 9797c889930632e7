// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.ReplyLimits;
import io.millrace.client.internal.connect.Transport;
import io.millrace.client.internal.io.ReplyReaders;
import io.millrace.client.internal.io.SegmentChain;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.resp.RequestEncoder;
import io.millrace.resp.RespReader;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Runs one connection for pushes, from the first requests of its {@linkplain PushSession session} to its end. A single
 * thread reads and writes.
 *
 * <p>{@link KeepAlive} defines when a {@code PING} is sent. The argument of the {@code PING} is the send time, and the
 * reply repeats this argument. The reply proves that all bytes that the server sent before the send time have arrived.
 * If nothing is received for one interval after a {@code PING}, the connection counts as dead and ends.
 *
 * <p>An error reply does not name its command. So {@code AUTH} and {@code PING} are sent only while no request of the
 * session is unanswered, and requests only while no {@code AUTH} and no {@code PING} is unanswered. A reply to a request
 * also proves that the connection works.
 */
final class PushReader {

    /** Measures the waits for bytes. These waits follow the clock of the system, also if a test replaces the clock. */
    private static final LongSupplier WAIT_CLOCK = ClockAndRandom.SYSTEM.clock();

    /**
     * Over TLS, the thread cannot be woken. So the thread checks after this time whether there is anything to send. The
     * value is an estimate: callers of {@code subscribe} hardly notice the delay, and 20 checks per second cost little.
     */
    private static final int TLS_WAIT_MILLIS = 50;

    private final Transport transport;
    private final PushSession dialogue;
    private final PushLogin login;
    private final KeepAlive keepAlive;
    private final LongSupplier clock;
    private final Runnable whenConfirmed;
    private final SegmentChain chain;
    private final RequestEncoder encoder;
    private final RespReader replies;
    private final byte[] buffer = new byte[16 * 1024];

    /** Start of the current keep-alive interval. */
    private long quietSinceNanos;

    /** Whether bytes were received since the last request or {@code PING}. */
    private boolean received;

    /** Whether the first requests are confirmed. */
    private boolean confirmed;

    /**
     * Creates a reader of {@code transport}, on which the handshake is done.
     *
     * @param whenConfirmed runs once, when the server has confirmed all requests
     */
    PushReader(
            Transport transport,
            ReplyLimits limits,
            PushSession dialogue,
            PushLogin login,
            KeepAlive keepAlive,
            LongSupplier clock,
            Runnable whenConfirmed) {
        this.transport = transport;
        this.replies = ReplyReaders.within(limits);
        this.dialogue = dialogue;
        this.login = login;
        this.keepAlive = keepAlive;
        this.clock = clock;
        this.chain = new SegmentChain(clock);
        this.encoder = new RequestEncoder(chain);
        this.whenConfirmed = whenConfirmed;
    }

    /**
     * Sends the requests, and reads until the connection ends.
     *
     * @throws IOException always: its message is the cause of the end
     */
    void run() throws IOException {
        send(dialogue.requests());
        checkConfirmation();
        while (true) {
            int count = read();
            if (count < 0) {
                throw new EOFException("the server closed the connection");
            }
            replies.feed(buffer, 0, count);
            while (replies.next()) {
                if (!dialogue.isConfirmed() || !login.takes(replies.reply())) {
                    dialogue.handle(replies.reply());
                    checkConfirmation();
                }
            }
        }
    }

    private void checkConfirmation() {
        if (!dialogue.isConfirmed()) {
            return;
        }
        if (!confirmed) {
            confirmed = true;
            whenConfirmed.run();
        }
        dialogue.confirmed();
    }

    private int read() throws IOException {
        while (true) {
            sendChanges();
            long left = quietSinceNanos + keepAlive.interval().toNanos() - clock.getAsLong();
            if (dialogue.isConfirmed() && received && left <= 0) {
                ping();
                continue;
            }
            long startNanos = WAIT_CLOCK.getAsLong();
            int millis = (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(left));
            int wait = transport.isNonBlocking() ? millis : Math.min(millis, TLS_WAIT_MILLIS);
            try {
                // If this thread was not scheduled for a long time, no time is left, but bytes may have arrived. So the
                // read waits for 1 ms or more, and returns these bytes.
                int count = transport.readWithin(buffer, wait);
                received();
                return count;
            } catch (SocketTimeoutException e) {
                if (WAIT_CLOCK.getAsLong() - startNanos < TimeUnit.MILLISECONDS.toNanos(millis - 1L)) {
                    // The thread was woken early, because there is something to send, or must check whether there is.
                    continue;
                }
                if (dialogue.isConfirmed() && !received) {
                    throw new IOException(
                            "nothing was received within " + keepAlive.intervalMillis()
                                    + " ms, not even a reply to PING",
                            e);
                }
                ping();
            }
        }
    }

    private void received() {
        received = true;
        if (!keepAlive.fixedRate()) {
            quietSinceNanos = clock.getAsLong();
        }
    }

    private void ping() throws IOException {
        if (!dialogue.isConfirmed()) {
            throw new IOException("no confirmation arrived within " + keepAlive.intervalMillis() + " ms");
        }
        login.pinged();
        send(List.of(ping(clock.getAsLong())));
    }

    /** Sends {@code AUTH} if the login was renewed, and then the changes of the session. */
    private void sendChanges() throws IOException {
        if (!confirmed || !dialogue.isConfirmed()) {
            return;
        }
        PushRequest auth = login.nextCommand();
        if (auth != null) {
            encode(auth);
            flush();
        }
        if (login.isAnswered()) {
            List<PushRequest> changes = dialogue.changes();
            if (changes.isEmpty()) {
                checkConfirmation();
            } else {
                send(changes);
            }
        }
    }

    /** Returns a {@code PING} with {@code nanos} as its argument. */
    static PushRequest ping(long nanos) {
        return PushRequest.of("PING", Long.toString(nanos));
    }

    /** Sends requests, and starts a keep-alive interval: a reply must follow. */
    private void send(List<PushRequest> requests) throws IOException {
        quietSinceNanos = clock.getAsLong();
        received = false;
        requests.forEach(this::encode);
        flush();
    }

    private void encode(PushRequest request) {
        encoder.begin(RequestEncoder.encodeName(request.name()), 1);
        request.arguments().forEach(argument -> encoder.arg(argument, 0, argument.length));
        int length = encoder.end();
        chain.publish(encoder.finishedOffset(), length);
    }

    private void flush() throws IOException {
        while (chain.taken() < chain.published()) {
            if (chain.sendSome(transport) == 0) {
                transport.awaitWritable();
            }
        }
    }
}
