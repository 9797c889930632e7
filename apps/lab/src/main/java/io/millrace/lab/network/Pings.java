// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Round trips over a connection of their own, one after the other, each as long as a small command. Used by one thread.
 */
final class Pings implements AutoCloseable {

    /** Whatever disturbs the machine for a while shall meet both sides of a comparison. */
    private static final int IN_A_ROW = 10;

    /** Longer than any delay there is: an echo that does not come is an error, not a wait without end. */
    private static final int LIMIT_MILLIS = (int) TimeUnit.MINUTES.toMillis(3);

    private static final byte[] PING = "*1\r\n$4\r\nPING\r\n".getBytes(StandardCharsets.US_ASCII);

    private final Socket socket = new Socket();
    private final OutputStream out;
    private final DataInputStream in;
    private final byte[] reply = new byte[PING.length];
    private final List<Long> nanos = new ArrayList<>();

    /** Connects. */
    Pings(InetSocketAddress echo) throws IOException {
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(LIMIT_MILLIS);
            socket.connect(echo);
            out = socket.getOutputStream();
            in = new DataInputStream(socket.getInputStream());
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** {@code samples} of both, some of the one and some of the other in turns. */
    static void inTurns(Pings first, Pings second, int samples) throws IOException {
        for (int done = 0; done < samples; done += IN_A_ROW) {
            int now = Math.min(IN_A_ROW, samples - done);
            first.ping(now);
            second.ping(now);
        }
    }

    /** Blocks for {@code samples} round trips. */
    void ping(int samples) throws IOException {
        for (int sample = 0; sample < samples; sample++) {
            long from = System.nanoTime();
            out.write(PING);
            in.readFully(reply);
            nanos.add(System.nanoTime() - from);
            if (!Arrays.equals(reply, PING)) {
                throw new EOFException("the echo is not what was said");
            }
        }
    }

    /** Drops what was measured. */
    void forget() {
        nanos.clear();
    }

    /** The time below or at which a {@code share} of all lie, 0.0 to 1.0; one was measured at least. */
    Duration quantile(double share) {
        var sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
        return Duration.ofNanos(sorted[(int) Math.round((sorted.length - 1) * share)]);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
