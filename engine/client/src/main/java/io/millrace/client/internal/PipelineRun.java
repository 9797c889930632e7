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
    private static final int PORTION_COMMANDS = 128;

    private static final long PORTION_BYTES = 64 * 1024;

    private final SharedConnection connection;
    private final long defaultNanos;
    private final int portionCommands;
    private final long portionBytes;
    private final @Nullable ResultListener listener;

    private final ArrayList<PendingResult<?>> collecting = new ArrayList<>(PORTION_COMMANDS);
    private long collectedBytes;
    private long collectedNanos;

    private final ArrayDeque<Portion> submitted = new ArrayDeque<>();
    private List<Result<?>> results = new ArrayList<>();
    private long told;
    private boolean telling;

    PipelineRun(SharedConnection connection, ClientOptions options, @Nullable ResultListener listener) {
        this.connection = connection;
        this.defaultNanos = options.commandTimeout().toNanos();
        this.portionCommands = Math.min(PORTION_COMMANDS, options.inFlight());
        this.portionBytes = Math.min(PORTION_BYTES, options.inFlightBytes());
        this.listener = listener;
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
        if (nanos != collectedNanos || collectedBytes + command.encodedBytes() > portionBytes) {
            submit();
        }
        PendingResult<T> result = new PendingResult<>(command);
        collecting.add(result);
        collectedNanos = nanos;
        collectedBytes += command.encodedBytes();
        if (listener == null) {
            results.add(result);
        }
        if (collecting.size() == portionCommands) {
            submit();
        }
        return result;
    }

    @Override
    public List<Result<?>> run() {
        refuseListener();
        submit();
        for (Portion first = submitted.peek(); first != null; first = submitted.peek()) {
            if (!first.await()) {
                throw Failures.interrupted("a pipeline", first);
            }
            submitted.remove();
            tell(first);
        }
        List<Result<?>> finished = results;
        results = new ArrayList<>();
        return finished;
    }

    private void submit() {
        if (collecting.isEmpty()) {
            return;
        }
        long now = connection.now();
        Portion portion =
                new Portion(collecting.toArray(new PendingResult<?>[0]), collectedBytes, now, now + collectedNanos);
        collecting.clear();
        collectedBytes = 0;
        connection.submit(portion);
        submitted.add(portion);
        if (listener != null) {
            tellFinished();
        }
    }

    private void tellFinished() {
        for (Portion first = submitted.peek(); first != null && first.ended(); first = submitted.peek()) {
            submitted.remove();
            tell(first);
        }
    }

    private void tell(Portion portion) {
        if (listener == null) {
            return;
        }
        telling = true;
        try {
            for (PendingResult<?> result : portion.results()) {
                listener.ended(told++, result);
            }
        } finally {
            telling = false;
        }
    }

    private void refuseListener() {
        if (telling) {
            throw new IllegalStateException("a listener must not use the pipeline that tells it");
        }
    }
}
