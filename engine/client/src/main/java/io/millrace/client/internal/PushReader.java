// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.RequestEncoder;
import io.millrace.resp.RespReader;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * One connection for pushes, from the requests of its {@linkplain PushDialogue dialogue} to its end. One thread does all of it,
 * writing included.
 *
 * <p>A {@code PING} is sent when its {@link Pulse} says so, with the time at which it is sent: so its answer proves that all that
 * the server had said until then has arrived. A connection over which nothing at all came for the quiet time after a
 * {@code PING} is dead.
 */
final class PushReader {

    private final Transport transport;
    private final PushDialogue dialogue;
    private final Pulse pulse;
    private final LongSupplier clock;
    private final Runnable whenConfirmed;
    private final SegmentChain chain = new SegmentChain();
    private final RequestEncoder encoder = new RequestEncoder(chain);
    private final RespReader replies = new RespReader();
    private final byte[] buffer = new byte[16 * 1024];

    /** From when the time runs until it is quiet for too long. */
    private long sinceNanos;

    /** Whether anything came since the server was asked for something last. */
    private boolean heard;

    private boolean confirmed;

    /**
     * A reader of {@code transport}, on which the handshake is done.
     *
     * @param whenConfirmed is run once the dialogue is confirmed
     */
    PushReader(Transport transport, PushDialogue dialogue, Pulse pulse, LongSupplier clock, Runnable whenConfirmed) {
        this.transport = transport;
        this.dialogue = dialogue;
        this.pulse = pulse;
        this.clock = clock;
        this.whenConfirmed = whenConfirmed;
    }

    /**
     * Begins the dialogue, and reads until the connection ends.
     *
     * @throws IOException always: it says why the connection is of no more use
     */
    void run() throws IOException {
        sinceNanos = clock.getAsLong();
        dialogue.requests().forEach(this::encode);
        send();
        while (true) {
            int count = read();
            if (count < 0) {
                throw new EOFException("the server closed the connection");
            }
            replies.feed(buffer, 0, count);
            while (replies.next()) {
                dialogue.take(replies.reply());
                noteConfirmation();
            }
        }
    }

    private void noteConfirmation() {
        if (!confirmed && dialogue.isConfirmed()) {
            confirmed = true;
            whenConfirmed.run();
        }
    }

    private int read() throws IOException {
        while (true) {
            long left = sinceNanos + pulse.quiet().toNanos() - clock.getAsLong();
            if (confirmed && heard && left <= 0) {
                ping();
                continue;
            }
            try {
                // Whoever was kept from the processor for long finds what came meanwhile, before it gives up.
                int count = transport.readWithin(buffer, (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
                heard();
                return count;
            } catch (SocketTimeoutException e) {
                if (confirmed && !heard) {
                    throw new IOException(
                            "nothing came within " + pulse.quietMillis() + " ms, not even an answer to PING", e);
                }
                ping();
            }
        }
    }

    private void heard() {
        heard = true;
        if (!pulse.steady()) {
            sinceNanos = clock.getAsLong();
        }
    }

    private void ping() throws IOException {
        if (!confirmed) {
            throw new IOException("no confirmation came within " + pulse.quietMillis() + " ms");
        }
        sinceNanos = clock.getAsLong();
        heard = false;
        encode(ping(sinceNanos));
        send();
    }

    /** The request whose answer is {@code nanos}, as text. */
    static List<String> ping(long nanos) {
        return List.of("PING", Long.toString(nanos));
    }

    private void encode(List<String> command) {
        encoder.begin(RequestEncoder.encodeName(command.getFirst()), 1);
        command.subList(1, command.size()).forEach(encoder::arg);
        int length = encoder.end();
        chain.publish(encoder.finished(), length);
    }

    private void send() throws IOException {
        while (chain.taken() < chain.published()) {
            if (chain.sendSome(transport) == 0) {
                transport.awaitWritable();
            }
        }
    }
}
