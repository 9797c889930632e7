// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** A listener that records all calls. The context of each command is a number. */
final class RecordedCommands implements CommandListener {

    /** A copy of an ended command, and the threads of both calls. */
    record End(
            String name,
            EndedCommand.Kind kind,
            Optional<Outcome> outcome,
            Submitted start,
            String endpoint,
            String connection,
            boolean wasSent,
            long submittedNanos,
            long sentNanos,
            long endedNanos,
            long requestBytes,
            int lostConnections,
            Thread thread) {}

    record Submitted(long number, String name, Thread thread) {}

    final ConcurrentLinkedQueue<Submitted> submitted = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<End> ends = new ConcurrentLinkedQueue<>();
    private final AtomicLong numbers = new AtomicLong();

    @Override
    public Object submitted(String name) {
        Submitted start = new Submitted(numbers.incrementAndGet(), name, Thread.currentThread());
        submitted.add(start);
        return start;
    }

    @Override
    public void ended(EndedCommand command) {
        if (!(command.context() instanceof Submitted start)) {
            throw new IllegalStateException("no context");
        }
        ends.add(new End(
                command.name(),
                command.kind(),
                command.outcome(),
                start,
                command.endpoint(),
                command.connection(),
                command.wasSent(),
                command.submittedNanos(),
                command.sentNanos(),
                command.endedNanos(),
                command.requestBytes(),
                command.lostConnections(),
                Thread.currentThread()));
    }

    List<End> ends() {
        return List.copyOf(ends);
    }

    List<EndedCommand.Kind> kinds() {
        return ends.stream().map(End::kind).toList();
    }

    List<String> names() {
        return ends.stream().map(End::name).toList();
    }
}
