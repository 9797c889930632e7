// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.micro;

import io.millrace.client.EndedCommand;
import io.millrace.client.Outcome;
import io.millrace.resp.Reply;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A {@code GET} that was sent and has ended. One object stands for many commands, as in the client. Used by one thread. */
final class EndedGet implements EndedCommand {

    /** Name of the command. */
    static final String NAME = "GET";

    private static final long SUBMITTED = 1_000_000;
    private static final long NANOS_BEFORE_SENDING = 1_000;

    private @Nullable Object context;
    private long nanosFromSubmission;

    /** Becomes the next command, with the given context and latency. */
    EndedGet next(@Nullable Object newContext, long newNanosFromSubmission) {
        context = newContext;
        nanosFromSubmission = newNanosFromSubmission;
        return this;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public @Nullable Object context() {
        return context;
    }

    @Override
    public String endpoint() {
        return "localhost:6379";
    }

    @Override
    public String connection() {
        return "1";
    }

    @Override
    public Kind kind() {
        return Kind.OK;
    }

    @Override
    public Optional<Outcome> outcome() {
        return Optional.of(new Outcome.Ok(Reply.OK));
    }

    @Override
    public long submittedNanos() {
        return SUBMITTED;
    }

    @Override
    public boolean wasSent() {
        return true;
    }

    @Override
    public long sentNanos() {
        return SUBMITTED + NANOS_BEFORE_SENDING;
    }

    @Override
    public long endedNanos() {
        return SUBMITTED + nanosFromSubmission;
    }

    @Override
    public long requestBytes() {
        return 20;
    }

    @Override
    public int lostConnections() {
        return 0;
    }
}
