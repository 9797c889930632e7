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

/**
 * One accepted connection: a thread that reads and asks the handler, and a thread that writes the answers.
 *
 * <p>Two threads, so that an answer that is held, or a peer that does not read, never keeps commands from being recorded.
 */
final class FakeConnection {

    private static final Answer REFUSED = Answer.reply("-ERR fake: refused\r\n").then(Answer.end(Ending.CLOSE));

    private final int index;
    private final Socket socket;
    private final Handler handler;
    private final Optional<Cut> cut;
    private final Recorder recorder;
    private final BlockingQueue<Outgoing> outgoing = new LinkedBlockingQueue<>();
    /** Down once the peer has ended its stream: nothing is worth waiting for then. */
    private final CountDownLatch peerEnded = new CountDownLatch(1);

    private final Thread reader;
    private final Thread writer;

    /** Reader thread only: where the counted bytes of the request stream start, or -1. */
    private long cutBase = -1;
    /** Reader thread only: nothing more is parsed or recorded. */
    private boolean deaf;
    /** Written by the writer thread: no more answers leave. */
    private volatile boolean mute;
    /** Writer thread only. */
    private long countedReplyBytes;

    FakeConnection(int index, Socket socket, Handler handler, Optional<Cut> cut, Recorder recorder) {
        this.index = index;
        this.socket = socket;
        this.handler = handler;
        this.cut = cut;
        this.recorder = recorder;
        this.reader = Thread.ofPlatform().name("fake-redis-reader-" + index).unstarted(this::read);
        this.writer = Thread.ofPlatform().name("fake-redis-writer-" + index).unstarted(this::write);
    }

    void start() {
        say(handler.greeting(index));
        // The reader may wait for the writer's end at once: what has not begun would seem to have ended.
        writer.start();
        reader.start();
    }

    /** Queues an answer that no command asked for. */
    void say(Answer answer) {
        boolean counted = cut.filter(c -> c.from().isEmpty()).isPresent();
        outgoing.add(Outgoing.of(answer, counted));
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
                recorder.awaitReading();
                if (!deaf) {
                    receive(parser, chunk, count);
                }
            }
            sayTheRest();
        } catch (IOException e) {
            // The peer reset the connection, or this side closed it: for a fake server both are an ordinary end.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            writer.interrupt();
            closeSocket();
            recorder.disconnected();
        }
    }

    /** As a server does, answers what came before the end of the stream; but not what a test holds back or delays. */
    private void sayTheRest() throws InterruptedException {
        peerEnded.countDown();
        outgoing.add(Outgoing.of(Answer.end(Ending.CLOSE), false));
        writer.join();
    }

    /** Records the bytes before the commands in them are answered: a test that has a reply finds its request recorded. */
    private void receive(RequestParser parser, byte[] chunk, int count) {
        long before = parser.consumed() + parser.pending();
        List<ReceivedCommand> commands = new ArrayList<>();
        int counted = 0;
        boolean malformed = false;
        parser.add(chunk, count);
        try {
            for (Optional<List<byte[]>> next = parser.next(); next.isPresent(); next = parser.next()) {
                ReceivedCommand command = new ReceivedCommand(index, next.get());
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
            recorder.failure(e);
            malformed = true;
        }
        long allowed = requestLimit() - before;
        recorder.bytes(index, chunk, Math.clamp(allowed, 0, count));
        handle(commands, counted);
        if (malformed) {
            refuse();
        } else if (!deaf && allowed <= count) {
            deaf = true;
            outgoing.add(Outgoing.of(Answer.end(cut.orElseThrow().ending()), false));
        }
    }

    /** Asks for the answers; the replies of the last {@code counted} commands count for the cut. */
    private void handle(List<ReceivedCommand> commands, int counted) {
        int uncounted = commands.size() - counted;
        for (int i = 0; i < commands.size() && !deaf; i++) {
            // First the place: what a test says once it sees the command queues behind the answer. Then the record: who
            // has the reply sees the command.
            Outgoing place = new Outgoing(new CompletableFuture<>(), i >= uncounted);
            outgoing.add(place);
            recorder.command(commands.get(i));
            place.answer.complete(mute ? Answer.nothing() : answerTo(commands.get(i)));
        }
    }

    private Answer answerTo(ReceivedCommand command) {
        try {
            return handler.answer(command);
        } catch (AssertionError | RuntimeException e) {
            recorder.failure(e);
            deaf = true;
            return REFUSED;
        }
    }

    private void refuse() {
        deaf = true;
        outgoing.add(Outgoing.of(REFUSED, false));
    }

    /** How many bytes of the request stream may be seen. */
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
            while (!mute) {
                Outgoing next = outgoing.take();
                write(out, next.answer.get(), next.counted);
            }
        } catch (IOException e) {
            // As in the reader: the peer has gone.
            mute = true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new AssertionError("an answer is given or not, but never fails", e);
        }
    }

    private void write(OutputStream out, Answer answer, boolean counted) throws IOException, InterruptedException {
        if (mute) {
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
            end(Ending.CLOSE);
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

    private void end(Ending ending) throws IOException {
        mute = true;
        switch (ending) {
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
            throw new AssertionError("the socket of connection " + index + " cannot be closed", e);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The place of an answer in the order of all, and whether its bytes count for the cut. */
    private record Outgoing(CompletableFuture<Answer> answer, boolean counted) {

        static Outgoing of(Answer answer, boolean counted) {
            return new Outgoing(CompletableFuture.completedFuture(answer), counted);
        }
    }
}
