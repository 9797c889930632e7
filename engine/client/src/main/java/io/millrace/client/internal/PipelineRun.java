// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ClientOptions;
import io.millrace.client.Command;
import io.millrace.client.Pipeline;
import io.millrace.client.Result;
import io.millrace.client.ResultListener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A pipeline over one connection: collects commands into portions, and hands each to the connection when it is full. */
final class PipelineRun implements Pipeline {

    /** Large enough to cost next to nothing per command, small enough to let other callers in between. */
    private static final int PORTION_COMMANDS = 256;

    /** While the server is at these, the next are encoded. With 64 to begin with, 1,000 commands took 0.95 of the time. */
    private static final int FIRST_PORTION_COMMANDS = 64;

    /** The server reads so much at a time. */
    private static final long PORTION_BYTES = 16 * 1024;

    private final SubmissionSink connection;
    private final long defaultNanos;
    private final int portionCommands;
    private final long portionBytes;
    private final @Nullable ResultListener listener;

    /** How many portions may wait for the listener: more than the window lets be in flight. */
    private final int mostUntold;

    /** Not submitted yet, and the time limit of its commands. */
    private Portion collecting = new Portion();

    private long collectedNanos;

    private final ArrayDeque<Portion> submitted = new ArrayDeque<>();
    private List<Result<?>> results = new ArrayList<>();
    private long told;
    private int toldOfFirst;
    private boolean tellingIsDue;
    private boolean telling;

    PipelineRun(SubmissionSink connection, ClientOptions options, @Nullable ResultListener listener) {
        this.connection = connection;
        this.defaultNanos = options.commandTimeout().toNanos();
        this.portionCommands = Math.min(PORTION_COMMANDS, options.inFlight());
        this.portionBytes = Math.min(PORTION_BYTES, options.inFlightBytes());
        this.listener = listener;
        this.mostUntold = 64 + 2 * (options.inFlight() / portionCommands);
    }

    @Override
    public <T> Result<T> add(Command<T> command) {
        refuseListener();
        Placement.SHARED.check(command);
        if (results.size() == MOST_RESULTS) {
            throw new IllegalStateException(
                    "a pipeline keeps " + MOST_RESULTS + " results at most: run it in between, or give it a listener");
        }
        long nanos = command.deadlineNanos(defaultNanos);
        if (nanos != collectedNanos || collecting.encodedBytes() + command.encodedBytes() > portionBytes) {
            submit();
        }
        PortionResult<T> result = collecting.add(command);
        collectedNanos = nanos;
        if (listener == null) {
            results.add(result);
        }
        if (collecting.commands() >= portionCommands()) {
            submit();
        }
        if (tellingIsDue) {
            // Only now: what the listener throws must not keep this command out.
            tellingIsDue = false;
            tellFinished();
        }
        return result;
    }

    private int portionCommands() {
        return submitted.isEmpty() ? Math.min(FIRST_PORTION_COMMANDS, portionCommands) : portionCommands;
    }

    @Override
    public List<Result<?>> run() {
        refuseListener();
        submit();
        if (listener == null && !submitted.isEmpty()) {
            // Who waits for the last need not be woken for each of the others.
            await(submitted.getLast());
        }
        for (Portion first = submitted.peek(); first != null; first = submitted.peek()) {
            await(first);
            tell(first);
            submitted.remove();
        }
        List<Result<?>> finished = results;
        results = new ArrayList<>();
        return finished;
    }

    private void submit() {
        if (collecting.commands() == 0) {
            return;
        }
        Portion portion = collecting;
        collecting = new Portion();
        long now = connection.now();
        portion.close(now, now + collectedNanos);
        connection.submit(portion);
        submitted.add(portion);
        tellingIsDue = listener != null;
        if (tellingIsDue && submitted.size() > mostUntold) {
            // Portions that are refused at once wait here for their turn behind one that is still to be answered.
            await(submitted.element());
        }
    }

    private static void await(Portion portion) {
        if (!portion.await()) {
            throw Failures.interrupted("a pipeline", portion);
        }
    }

    private void tellFinished() {
        for (Portion first = submitted.peek(); first != null && first.ended(); first = submitted.peek()) {
            tell(first);
            submitted.remove();
        }
    }

    /** Tells what the listener has not been told of the first portion; it may have thrown before. */
    private void tell(Portion first) {
        if (listener == null) {
            return;
        }
        telling = true;
        try {
            while (toldOfFirst < first.results().size()) {
                listener.ended(told++, first.results().get(toldOfFirst++));
            }
        } finally {
            telling = false;
        }
        toldOfFirst = 0;
    }

    private void refuseListener() {
        if (telling) {
            throw new IllegalStateException("a listener must not use the pipeline that tells it");
        }
    }
}
