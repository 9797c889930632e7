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
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * A fake Redis server on a free loopback port. It sends the answers that the test defines, and records the commands
 * that it receives.
 *
 * <p>The server implements only the format of Redis requests, and no command. {@link #close} closes every connection
 * and waits for all threads. It fails in two cases: a request was malformed, or the handler threw an exception. A
 * {@link Script} throws one if a connection sends other commands than the script expects.
 */
public final class FakeRedis implements AutoCloseable {

    private final ServerSocket listener;
    private final Handler handler;
    private final Optional<Cut> cut;
    private final CommandRecorder commandRecorder = new CommandRecorder();
    private final List<FakeConnection> connections = new CopyOnWriteArrayList<>();
    /** The cut of {@link #cutNext}, until a connection takes it. Empty if no cut is due. */
    private final AtomicReference<Optional<Cut>> nextCut = new AtomicReference<>(Optional.empty());

    private final Thread acceptor =
            Thread.ofPlatform().name("fake-redis-acceptor").unstarted(this::accept);

    private FakeRedis(Handler handler, Optional<Cut> cut) {
        this.handler = handler;
        this.cut = cut;
        try {
            this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException("no free loopback port for a fake server", e);
        }
    }

    /** Starts a server that answers every command with {@code handler}. */
    public static FakeRedis start(Handler handler) {
        return start(handler, Optional.empty());
    }

    /** Starts a server that answers every command with {@code handler}, and ends connections as {@code cut} says. */
    public static FakeRedis start(Handler handler, Cut cut) {
        return start(handler, Optional.of(cut));
    }

    /**
     * Starts a server that answers the n-th connection with the n-th {@link Script}. If more connections than scripts
     * send a command, {@link #close} fails.
     */
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

    /**
     * All commands that the server has received so far, in the order in which it read them. Commands of different
     * connections may appear in any order.
     */
    public List<ReceivedCommand> commands() {
        return commandRecorder.commands();
    }

    /** Waits until the server has received at least {@code count} commands. Returns all commands received so far. */
    public List<ReceivedCommand> awaitCommands(int count, Duration timeout) {
        return commandRecorder.awaitCommands(count, timeout);
    }

    /** Number of connections accepted. */
    public int acceptedConnections() {
        return commandRecorder.accepted();
    }

    /**
     * Number of accepted connections that are still open. When the client closes a connection, this number decreases
     * after a short delay.
     */
    public int openConnections() {
        return commandRecorder.open();
    }

    /** Waits until the server has accepted at least {@code count} connections. */
    public void awaitConnections(int count, Duration timeout) {
        commandRecorder.awaitConnections(count, timeout);
    }

    /** Waits until at least {@code count} connections have ended. The client or the server may have closed them. */
    public void awaitDisconnections(int count, Duration timeout) {
        commandRecorder.awaitDisconnections(count, timeout);
    }

    /** The raw bytes that the server has received on connection {@code connection} so far. */
    public byte[] received(int connection) {
        return commandRecorder.received(connection);
    }

    /**
     * Waits until the server has received at least {@code count} bytes on connection {@code connection}. Returns all
     * bytes that it has received on this connection so far.
     */
    public byte[] awaitBytes(int connection, int count, Duration timeout) {
        return commandRecorder.awaitBytes(connection, count, timeout);
    }

    /**
     * Stops reading on all connections. On each connection, the server may still read one chunk of at most 16 KiB.
     * Later bytes stay in the socket buffers until these are full.
     */
    public void stopReading() {
        commandRecorder.reading(false);
    }

    /** Resumes reading after {@link #stopReading}. */
    public void resumeReading() {
        commandRecorder.reading(true);
    }

    /**
     * Ends one connection as {@code cut} says: the next connection that receives the command {@link Cut#from}. Replaces an
     * earlier cut that is still due. In this way, a test cuts many connections of one client, one after the other.
     *
     * @throws IllegalArgumentException if {@code cut} does not name a command
     */
    public void cutNext(Cut cut) {
        if (cut.from().isEmpty()) {
            throw new IllegalArgumentException("cut.from() must name a command: cut=" + cut);
        }
        nextCut.set(Optional.of(cut));
    }

    /** Whether no connection has received the command {@link Cut#from} since {@link #cutNext}. */
    public boolean isCutDue() {
        return nextCut.get().isPresent();
    }

    private Optional<Cut> takeCut(ReceivedCommand command) {
        Optional<Cut> due = nextCut.get();
        boolean taken = due.isPresent() && due.get().startsAt(command) && nextCut.compareAndSet(due, Optional.empty());
        return taken ? due : Optional.empty();
    }

    /**
     * Sends {@code answer} on connection {@code connection}, although the client has sent no command for it. The
     * answers that are already queued are sent first.
     */
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
                FakeConnection connection =
                        new FakeConnection(index, socket, handler, connectionCut, this::takeCut, commandRecorder);
                connections.add(connection);
                commandRecorder.connected();
                connection.start();
            }
        } catch (IOException e) {
            // The listening socket was closed, so this thread ends.
        }
    }
}
