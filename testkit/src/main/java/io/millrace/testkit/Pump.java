// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.List;

/**
 * One direction of one connection through a {@link FaultProxy}.
 *
 * <pre>
 * from --read--> reader thread --> Transit --> writer thread --write--> to
 * </pre>
 *
 * <p>Once the direction has ended, the reader goes on reading and drops what it reads: that is how it sees the sender go, and
 * why no reset answers a sender that was only told the end of the stream.
 */
final class Pump {

    private final Direction direction;
    private final Socket from;
    private final Socket to;
    private final Transit transit;
    private final ProxyConnection connection;
    private final Tally tally;
    private final Thread reader;
    private final Thread writer;

    Pump(String name, Direction direction, Socket from, Socket to, Faults faults, ProxyConnection connection) {
        this.direction = direction;
        this.from = from;
        this.to = to;
        this.transit = new Transit(faults);
        this.connection = connection;
        this.tally = connection.tally();
        this.reader = Thread.ofPlatform().name(name + "-reader").unstarted(this::read);
        this.writer = Thread.ofPlatform().name(name + "-writer").unstarted(this::write);
    }

    List<Thread> threads() {
        return List.of(reader, writer);
    }

    Transit transit() {
        return transit;
    }

    /** Ends the direction now; what is under way is dropped. */
    void end(Ending ending) {
        if (ending == Ending.RESET) {
            connection.reset();
            return;
        }
        if (transit.stop(ending) && ending == Ending.CLOSE) {
            shutdownOutput();
        }
        connection.settle();
    }

    private void read() {
        byte[] chunk = new byte[Transit.CHUNK_BYTES];
        Ending ending = Ending.CLOSE;
        try {
            InputStream in = from.getInputStream();
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                transit.put(chunk, count);
            }
        } catch (IOException e) {
            ending = Ending.RESET;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            transit.senderEnded(ending);
            if (direction == Direction.TO_SERVER) {
                tally.clientGone();
            }
            connection.settle();
        }
    }

    private void write() {
        try {
            OutputStream out = to.getOutputStream();
            while (true) {
                switch (transit.take()) {
                    case Parcel.Bytes bytes -> {
                        bytes.writeTo(out);
                        tally.forwarded(direction, bytes.length());
                    }
                    case Parcel.End end -> end(end.ending());
                }
            }
        } catch (IOException e) {
            receiverGone();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Tells the sender what TCP would tell it, but behind what the receiver said before it went. The other direction's reader may
     * have heard of a mere end: the kernel tells of a reset once, and it told the writer.
     */
    private void receiverGone() {
        if (transit.stop(Ending.RESET)
                && !connection.opposite(direction).transit.putReset()) {
            connection.reset();
        }
        connection.settle();
    }

    private void shutdownOutput() {
        try {
            to.shutdownOutput();
        } catch (IOException e) {
            // The receiver has gone by itself, which the other direction finds out.
        }
    }
}
