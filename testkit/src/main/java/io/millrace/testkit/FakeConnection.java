// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;

/**
 * One accepted connection of a {@link FakeRedis}. The reader thread reads requests and calls the handler. The writer
 * thread writes the answers.
 *
 * <p>Because of the two threads, the reader records commands even while the writer waits: for an answer that the test
 * holds, or for a client that does not read.
 */
final class FakeConnection {

    private static final Answer REFUSED = Answer.reply("-ERR fake: refused\r\n").then(Answer.end(ConnectionEnd.CLOSE));

    private final int index;
    private final Socket socket;
    private final Handler handler;
    private final Function<ReceivedCommand, Optional<Cut>> nextCut;
    private final CommandRecorder commandRecorder;
    private final BlockingQueue<QueuedAnswer> outgoing = new LinkedBlockingQueue<>();
    /**
     * Counted down when the client has ended its stream. After that, the writer no longer waits for held or delayed
     * answers.
     */
    private final CountDownLatch peerEnded = new CountDownLatch(1);

    private final Thread reader;
    private final Thread writer;

    /** The cut of this connection; empty if there is none yet. Changed by the reader thread only. */
    private volatile Optional<Cut> cut;

    /**
     * Offset in the request stream of the first byte that counts for the cut; -1 until that byte has arrived. Used by
     * the reader thread only.
     */
    private long cutBase = -1;
    /** Whether input is no longer parsed or recorded. Used by the reader thread only. */
    private boolean inputEnded;
    /** Whether the last command was a permission test. Used by the reader thread only. */
    private boolean afterPermissionTest;
    /** Whether the writer sends no more answers. Only the writer thread changes the field. */
    private volatile boolean outputEnded;
    /** Number of reply bytes that were counted for the cut. Used by the writer thread only. */
    private long countedReplyBytes;

    /**
     * Creates a connection that is not started.
     *
     * @param cut how the connection ends; empty if {@code nextCut} decides
     * @param nextCut returns the cut that begins with a command
     */
    FakeConnection(
            int index,
            Socket socket,
            Handler handler,
            Optional<Cut> cut,
            Function<ReceivedCommand, Optional<Cut>> nextCut,
            CommandRecorder commandRecorder) {
        this.index = index;
        this.socket = socket;
        this.handler = handler;
        this.cut = cut;
        this.nextCut = nextCut;
        this.commandRecorder = commandRecorder;
        this.reader = Thread.ofPlatform().name("fake-redis-reader-" + index).unstarted(this::read);
        this.writer = Thread.ofPlatform().name("fake-redis-writer-" + index).unstarted(this::write);
    }

    void start() {
        send(handler.greeting(index));
        // Start the writer first, because the reader may soon call join on the writer. A join on a thread that has not
        // started would return without waiting.
        writer.start();
        reader.start();
    }

    /** Queues an answer that replies to no command, such as a greeting or a push. */
    void send(Answer answer) {
        boolean counted = cut.filter(c -> c.from().isEmpty()).isPresent();
        outgoing.add(QueuedAnswer.of(answer, counted));
    }

    /** Ends the connection and waits for both threads. */
    void close() {
        closeSocket();
        reader.interrupt();
        writer.interrupt();
        join(reader);
        join(writer);
    }

    private void read() {
        RequestParser parser = new RequestParser();
        byte[] chunk = new byte[16 * 1024];
        try {
            InputStream in = socket.getInputStream();
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                commandRecorder.awaitReading();
                if (!inputEnded) {
                    receive(parser, chunk, count);
                }
            }
            answerTheRest();
        } catch (IOException e) {
            // The client reset the connection, or this server closed the socket. A fake server treats both as a normal
            // end.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            writer.interrupt();
            closeSocket();
            commandRecorder.disconnected();
        }
    }

    /**
     * Sends the answers to all commands that arrived before the end of the stream, as Redis does. Then ends the
     * connection. Answers that the test holds or delays are not sent.
     */
    private void answerTheRest() throws InterruptedException {
        peerEnded.countDown();
        outgoing.add(QueuedAnswer.of(Answer.end(ConnectionEnd.CLOSE), false));
        writer.join();
    }

    /**
     * Parses a chunk of the request stream and answers its commands. The bytes are recorded before the answers are
     * sent: when a test receives a reply, the request is already recorded.
     */
    private void receive(RequestParser parser, byte[] chunk, int count) {
        long before = parser.consumed() + parser.pending();
        List<ReceivedCommand> commands = new ArrayList<>();
        int counted = 0;
        boolean malformed = false;
        parser.add(chunk, count);
        try {
            for (Optional<List<byte[]>> next = parser.next(); next.isPresent(); next = parser.next()) {
                ReceivedCommand command = new ReceivedCommand(index, next.get());
                if (cut.isEmpty()) {
                    cut = nextCut.apply(command);
                }
                if (cutBase < 0 && cut.isPresent() && cut.get().startsAt(command)) {
                    cutBase = parser.commandStart();
                }
                if (parser.consumed() > requestLimit()) {
                    break;
                }
                commands.add(command);
                counted += cutBase >= 0 ? 1 : 0;
            }
        } catch (AssertionError e) {
            commandRecorder.failure(e);
            malformed = true;
        }
        long allowed = requestLimit() - before;
        commandRecorder.bytes(index, chunk, Math.clamp(allowed, 0, count));
        handle(commands, counted);
        if (malformed) {
            refuse();
        } else if (!inputEnded && allowed <= count) {
            inputEnded = true;
            outgoing.add(QueuedAnswer.of(Answer.end(cut.orElseThrow().ending()), false));
        }
    }

    /**
     * Calls the handler for each command. For the cut, only the replies to the last {@code counted} commands are
     * counted.
     */
    private void handle(List<ReceivedCommand> commands, int counted) {
        int uncounted = commands.size() - counted;
        for (int i = 0; i < commands.size() && !inputEnded; i++) {
            // First reserve the place of the answer in the queue, and then record the command. A test may see the
            // recorded command and at once send another answer. That answer must wait behind this answer. The command
            // must be recorded before the reply is sent, so that a test that has received the reply finds the command.
            QueuedAnswer place = new QueuedAnswer(new CompletableFuture<>(), i >= uncounted);
            outgoing.add(place);
            ReceivedCommand command = commands.get(i);
            boolean ofTest = isOfPermissionTest(commands, i);
            if (!ofTest) {
                commandRecorder.command(command);
            }
            place.answer.complete(outputEnded ? Answer.noReply() : answerTo(command, ofTest));
        }
    }

    /**
     * Returns whether command {@code i} is a permission test, or the MULTI before the first test or the DISCARD after
     * the last test.
     */
    private boolean isOfPermissionTest(List<ReceivedCommand> commands, int i) {
        ReceivedCommand command = commands.get(i);
        boolean begins = command.name().equals("MULTI")
                && i + 1 < commands.size()
                && commands.get(i + 1).isPermissionTest();
        boolean ends = command.name().equals("DISCARD") && afterPermissionTest;
        afterPermissionTest = command.isPermissionTest();
        return begins || ends || afterPermissionTest;
    }

    private Answer answerTo(ReceivedCommand command, boolean ofTest) {
        try {
            if (ofTest) {
                return command.isPermissionTest() ? handler.permissionTest(command) : Answer.reply("+OK\r\n");
            }
            return handler.answer(command);
        } catch (AssertionError | RuntimeException e) {
            commandRecorder.failure(e);
            inputEnded = true;
            return REFUSED;
        }
    }

    private void refuse() {
        inputEnded = true;
        outgoing.add(QueuedAnswer.of(REFUSED, false));
    }

    /**
     * Number of bytes of the request stream before the cut; no limit if requests are not cut. Bytes after the cut are
     * neither recorded nor answered.
     */
    private long requestLimit() {
        if (cut.isEmpty() || cut.get().stream() != Cut.Stream.REQUESTS) {
            return Long.MAX_VALUE;
        }
        if (cutBase < 0) {
            return cut.get().from().isPresent() ? Long.MAX_VALUE : cut.get().afterBytes();
        }
        return cutBase + cut.get().afterBytes();
    }

    private void write() {
        try {
            OutputStream out = socket.getOutputStream();
            while (!outputEnded) {
                QueuedAnswer next = outgoing.take();
                write(out, next.answer.get(), next.counted);
            }
        } catch (IOException e) {
            // The client reset the connection, or this server closed the socket.
            outputEnded = true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new AssertionError("the future of an answer must not complete exceptionally", e);
        }
    }

    private void write(OutputStream out, Answer answer, boolean counted) throws IOException, InterruptedException {
        if (outputEnded) {
            return;
        }
        switch (answer) {
            case Answer.Bytes bytes -> writeBytes(out, bytes, counted);
            case Answer.End end -> end(end.ending());
            case Answer.Held held -> {
                boolean released = held.released().await(1, MILLISECONDS);
                while (!released && peerEnded.getCount() > 0) {
                    released = held.released().await(1, MILLISECONDS);
                }
                writeOrEnd(released, out, held.answer(), counted);
            }
            case Answer.Delayed delayed -> {
                boolean due = !peerEnded.await(delayed.delay().toNanos(), NANOSECONDS);
                writeOrEnd(due, out, delayed.answer(), counted);
            }
            case Answer.Sequence sequence -> {
                for (Answer part : sequence.answers()) {
                    write(out, part, counted);
                }
            }
        }
    }

    private void writeOrEnd(boolean due, OutputStream out, Answer answer, boolean counted)
            throws IOException, InterruptedException {
        if (due) {
            write(out, answer, counted);
        } else {
            end(ConnectionEnd.CLOSE);
        }
    }

    private void writeBytes(OutputStream out, Answer.Bytes answer, boolean counted) throws IOException {
        byte[] bytes = answer.bytes();
        boolean limited =
                counted && cut.filter(c -> c.stream() == Cut.Stream.REPLIES).isPresent();
        long allowed = limited ? cut.get().afterBytes() - countedReplyBytes : Long.MAX_VALUE;
        int length = (int) Math.min(bytes.length, allowed);
        for (int offset = 0; offset < length; offset += answer.pieceBytes()) {
            out.write(bytes, offset, Math.min(answer.pieceBytes(), length - offset));
        }
        if (limited) {
            countedReplyBytes += length;
            if (countedReplyBytes == cut.get().afterBytes()) {
                end(cut.get().ending());
            }
        }
    }

    private void end(ConnectionEnd connectionEnd) throws IOException {
        outputEnded = true;
        switch (connectionEnd) {
            case CLOSE -> socket.shutdownOutput();
            case RESET -> {
                socket.setSoLinger(true, 0);
                socket.close();
            }
            case SILENCE -> {}
        }
    }

    private void closeSocket() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new AssertionError("a fake server cannot close a socket: connection=" + index, e);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * A place in the output queue. The future is completed when the handler has returned the answer. {@code counted}
     * says whether the bytes of the answer count for the cut.
     */
    private record QueuedAnswer(CompletableFuture<Answer> answer, boolean counted) {

        static QueuedAnswer of(Answer answer, boolean counted) {
            return new QueuedAnswer(CompletableFuture.completedFuture(answer), counted);
        }
    }
}
