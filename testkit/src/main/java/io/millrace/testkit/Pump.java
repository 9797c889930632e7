// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.List;

/**
 * Forwards one direction of one connection through a {@link FaultProxy}.
 *
 * <pre>
 * from --read--> reader thread --> FaultBuffer --> writer thread --write--> to
 * </pre>
 *
 * <p>After the direction has ended, the reader thread continues to read, and drops the bytes. There are two reasons:
 * the reader notices when the sender closes its connection, and unread bytes would cause a reset of the sender. A
 * sender whose direction was closed normally must not receive a reset.
 */
final class Pump {

    private final Direction direction;
    private final Socket from;
    private final Socket to;
    private final FaultBuffer faultBuffer;
    private final ProxyConnection connection;
    private final ProxyStats proxyStats;
    private final Thread reader;
    private final Thread writer;

    Pump(String name, Direction direction, Socket from, Socket to, Faults faults, ProxyConnection connection) {
        this.direction = direction;
        this.from = from;
        this.to = to;
        this.faultBuffer = new FaultBuffer(faults);
        this.connection = connection;
        this.proxyStats = connection.tally();
        this.reader = Thread.ofPlatform().name(name + "-reader").unstarted(this::read);
        this.writer = Thread.ofPlatform().name(name + "-writer").unstarted(this::write);
    }

    List<Thread> threads() {
        return List.of(reader, writer);
    }

    FaultBuffer transit() {
        return faultBuffer;
    }

    /** Ends the direction without waiting, and drops the bytes in the buffer. */
    void end(ConnectionEnd connectionEnd) {
        if (connectionEnd == ConnectionEnd.RESET) {
            connection.reset();
            return;
        }
        if (faultBuffer.stop(connectionEnd) && connectionEnd == ConnectionEnd.CLOSE) {
            shutdownOutput();
        }
        connection.closeIfOver();
    }

    private void read() {
        byte[] chunk = new byte[FaultBuffer.CHUNK_BYTES];
        ConnectionEnd connectionEnd = ConnectionEnd.CLOSE;
        try {
            InputStream in = from.getInputStream();
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                faultBuffer.put(chunk, count);
            }
        } catch (IOException e) {
            connectionEnd = ConnectionEnd.RESET;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            faultBuffer.senderEnded(connectionEnd);
            if (direction == Direction.TO_SERVER) {
                proxyStats.clientEnded();
            }
            connection.closeIfOver();
        }
    }

    private void write() {
        try {
            OutputStream out = to.getOutputStream();
            while (true) {
                switch (faultBuffer.take()) {
                    case StreamChunk.Bytes bytes -> {
                        bytes.writeTo(out);
                        proxyStats.forwarded(direction, bytes.length());
                    }
                    case StreamChunk.End end -> end(end.ending());
                }
            }
        } catch (IOException e) {
            receiverGone();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Called when a write to the receiver fails, because the receiver has closed or reset its connection. Forwards a
     * reset to the sender, as TCP would. Before the reset, the sender still receives the last bytes that the receiver
     * has sent.
     *
     * <p>The reader thread of the other direction cannot forward this reset. The kernel reports a reset only once, and
     * the failed write has received this report. So the reader thread may see a normal end of the stream.
     */
    private void receiverGone() {
        if (faultBuffer.stop(ConnectionEnd.RESET)
                && !connection.opposite(direction).faultBuffer.putReset()) {
            connection.reset();
        }
        connection.closeIfOver();
    }

    private void shutdownOutput() {
        try {
            to.shutdownOutput();
        } catch (IOException e) {
            // The receiver has closed its connection. The reader thread of the other direction handles this.
        }
    }
}
