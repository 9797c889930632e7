// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An ended command with the given latencies. A negative latency from the sending means that it was not sent. */
record FixedEnd(String name, long fromSubmission, long fromSending) implements EndedCommand {

    @Override
    public @Nullable Object context() {
        return null;
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
        return 0;
    }

    @Override
    public boolean wasSent() {
        return fromSending >= 0;
    }

    @Override
    public long sentNanos() {
        return fromSubmission - fromSending;
    }

    @Override
    public long endedNanos() {
        return fromSubmission;
    }

    @Override
    public long requestBytes() {
        return 10;
    }

    @Override
    public int lostConnections() {
        return 0;
    }
}
