// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * A server on a free loopback port that answers as a test tells it, and remembers what it was sent.
 *
 * <p>It has nothing of Redis but the framing of requests. {@link #close} ends every connection, waits for all threads,
 * and fails if a script was not followed or a request was malformed.
 */
public final class FakeRedis implements AutoCloseable {

    private final ServerSocket listener;
    private final Handler handler;
    private final Optional<Cut> cut;
    private final Recorder recorder = new Recorder();
    private final List<FakeConnection> connections = new CopyOnWriteArrayList<>();
    private final Thread acceptor =
            Thread.ofPlatform().name("fake-redis-acceptor").unstarted(this::accept);

    private FakeRedis(Handler handler, Optional<Cut> cut) {
        this.handler = handler;
        this.cut = cut;
        try {
            this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException("no loopback port for a fake server", e);
        }
    }

    /** Starts a server whose every command is answered by {@code handler}. */
    public static FakeRedis start(Handler handler) {
        return start(handler, Optional.empty());
    }

    /** The same, with every connection that {@code cut} is for broken at it. */
    public static FakeRedis start(Handler handler, Cut cut) {
        return start(handler, Optional.of(cut));
    }

    /** Starts a server whose n-th connection follows the n-th script; a connection too many is a failure. */
    @SafeVarargs
    public static FakeRedis play(Consumer<Script>... scripts) {
        return start(Script.each(scripts));
    }

    private static FakeRedis start(Handler handler, Optional<Cut> cut) {
        FakeRedis server = new FakeRedis(handler, cut);
        server.acceptor.start();
        return server;
    }

    /** The loopback address it listens on. */
    public String host() {
        return listener.getInetAddress().getHostAddress();
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** {@code redis://host:port}. */
    public String uri() {
        return "redis://" + host() + ":" + port();
    }

    /** Every command so far, in the order it was read; across connections that order is arbitrary. */
    public List<ReceivedCommand> commands() {
        return recorder.commands();
    }

    /** Waits until there were {@code count} commands and returns all there are. */
    public List<ReceivedCommand> awaitCommands(int count, Duration patience) {
        return recorder.awaitCommands(count, patience);
    }

    /** How many connections were accepted. */
    public int acceptedConnections() {
        return recorder.accepted();
    }

    /** How many accepted connections have not ended, from either side; the end of a peer is seen soon after it happened. */
    public int openConnections() {
        return recorder.open();
    }

    /** Waits until {@code count} connections were accepted. */
    public void awaitConnections(int count, Duration patience) {
        recorder.awaitConnections(count, patience);
    }

    /** Waits until {@code count} connections have ended for good, from either side. */
    public void awaitDisconnections(int count, Duration patience) {
        recorder.awaitDisconnections(count, patience);
    }

    /** The raw bytes that connection {@code connection} sent so far. */
    public byte[] received(int connection) {
        return recorder.received(connection);
    }

    /** Waits until connection {@code connection} has sent {@code count} bytes and returns all it sent. */
    public byte[] awaitBytes(int connection, int count, Duration patience) {
        return recorder.awaitBytes(connection, count, patience);
    }

    /** Sees nothing more of any connection: all but one chunk of 16 KiB stays in the socket, and the peer's buffers fill up. */
    public void stopReading() {
        recorder.reading(false);
    }

    /** Reads on after {@link #stopReading}. */
    public void resumeReading() {
        recorder.reading(true);
    }

    /** Says {@code answer} on a connection without having been asked; it queues behind the answers still due. */
    public void say(int connection, Answer answer) {
        connections.get(connection).say(answer);
    }

    @Override
    public void close() {
        try {
            listener.close();
            acceptor.join();
        } catch (IOException e) {
            throw new UncheckedIOException("the fake server's port cannot be closed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        connections.forEach(FakeConnection::close);
        List<Throwable> failures = recorder.failures();
        if (!failures.isEmpty()) {
            AssertionError first = new AssertionError(failures.getFirst().getMessage(), failures.getFirst());
            failures.stream().skip(1).forEach(first::addSuppressed);
            throw first;
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                socket.setTcpNoDelay(true);
                int index = connections.size();
                Optional<Cut> itsCut = cut.filter(one -> one.isFor(index));
                FakeConnection connection = new FakeConnection(index, socket, handler, itsCut, recorder);
                connections.add(connection);
                recorder.connected();
                connection.start();
            }
        } catch (IOException e) {
            // The listener was closed, which is how this thread ends.
        }
    }
}
