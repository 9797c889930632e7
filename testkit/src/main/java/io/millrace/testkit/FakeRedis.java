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
 * A server on a free loopback port that answers as the test says, and records the commands it receives.
 *
 * <p>Of Redis it implements only the framing of requests. {@link #close} ends every connection, waits for all threads,
 * and fails if a script was not followed or a request was malformed.
 */
public final class FakeRedis implements AutoCloseable {

    private final ServerSocket listener;
    private final Handler handler;
    private final Optional<Cut> cut;
    private final CommandRecorder commandRecorder = new CommandRecorder();
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

    /** Starts a server that answers every command with {@code handler}. */
    public static FakeRedis start(Handler handler) {
        return start(handler, Optional.empty());
    }

    /** Starts such a server, and breaks every connection that {@code cut} selects. */
    public static FakeRedis start(Handler handler, Cut cut) {
        return start(handler, Optional.of(cut));
    }

    /** Starts a server whose n-th connection follows the n-th script. A connection without a script is a failure. */
    @SafeVarargs
    public static FakeRedis startWithScripts(Consumer<Script>... scripts) {
        return start(Script.perConnection(scripts));
    }

    private static FakeRedis start(Handler handler, Optional<Cut> cut) {
        FakeRedis server = new FakeRedis(handler, cut);
        server.acceptor.start();
        return server;
    }

    /** The loopback address of the server. */
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

    /** All commands so far, in the order they were read. The order across connections is arbitrary. */
    public List<ReceivedCommand> commands() {
        return commandRecorder.commands();
    }

    /** Waits until {@code count} commands were received, and returns all commands so far. */
    public List<ReceivedCommand> awaitCommands(int count, Duration timeout) {
        return commandRecorder.awaitCommands(count, timeout);
    }

    /** Number of connections accepted. */
    public int acceptedConnections() {
        return commandRecorder.accepted();
    }

    /** Number of accepted connections that neither side has ended. The end of a peer is counted with a short delay. */
    public int openConnections() {
        return commandRecorder.open();
    }

    /** Waits until {@code count} connections were accepted. */
    public void awaitConnections(int count, Duration timeout) {
        commandRecorder.awaitConnections(count, timeout);
    }

    /** Waits until {@code count} connections have ended, from either side. */
    public void awaitDisconnections(int count, Duration timeout) {
        commandRecorder.awaitDisconnections(count, timeout);
    }

    /** The raw bytes that connection {@code connection} has sent so far. */
    public byte[] received(int connection) {
        return commandRecorder.received(connection);
    }

    /** Waits until connection {@code connection} has sent {@code count} bytes, and returns all bytes it has sent. */
    public byte[] awaitBytes(int connection, int count, Duration timeout) {
        return commandRecorder.awaitBytes(connection, count, timeout);
    }

    /**
     * Stops reading all connections. All bytes but one chunk of 16 KiB stay in the socket, and the peer's buffers fill
     * up.
     */
    public void stopReading() {
        commandRecorder.reading(false);
    }

    /** Resumes reading after {@link #stopReading}. */
    public void resumeReading() {
        commandRecorder.reading(true);
    }

    /** Sends {@code answer} on a connection without a command. It queues behind the answers that are still due. */
    public void send(int connection, Answer answer) {
        connections.get(connection).send(answer);
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
        List<Throwable> failures = commandRecorder.failures();
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
                Optional<Cut> connectionCut = cut.filter(candidate -> candidate.isFor(index));
                FakeConnection connection = new FakeConnection(index, socket, handler, connectionCut, commandRecorder);
                connections.add(connection);
                commandRecorder.connected();
                connection.start();
            }
        } catch (IOException e) {
            // The listener was closed: this thread ends.
        }
    }
}
