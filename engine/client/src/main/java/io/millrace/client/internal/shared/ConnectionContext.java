// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.ClientOptions;
import io.millrace.client.internal.connect.Login;
import io.millrace.client.internal.fusion.FusibleKinds;
import io.millrace.client.internal.stats.ListenerCalls;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.client.internal.time.Timekeeper;
import io.millrace.resp.Reply;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a client that all its connections use.
 *
 * @param refusedKinds kinds of fusion that the server has refused
 * @param pushes receives pushes that belong to no subscription and no tracking; runs on the reader, so it must not
 *     block
 * @param listener calls the listener of the client; null if there is none
 * @param whenDoubtful runs when the primaries may have changed: on the writer after a shared connection was lost, on the reader after a
 *     reply that says so. Must not block
 * @param inCluster whether the server is a node of a cluster, so that commands may move to other connections
 */
public record ConnectionContext(
        ClientOptions options,
        Login login,
        ClockAndRandom clockAndRandom,
        Timekeeper timekeeper,
        FusibleKinds.RefusedKinds refusedKinds,
        Consumer<Reply.Push> pushes,
        @Nullable ListenerCalls listener,
        Runnable whenDoubtful,
        boolean inCluster) {

    /** The parts of a client of one server. */
    public ConnectionContext(
            ClientOptions options,
            Login login,
            ClockAndRandom clockAndRandom,
            Timekeeper timekeeper,
            FusibleKinds.RefusedKinds refusedKinds,
            Consumer<Reply.Push> pushes,
            @Nullable ListenerCalls listener,
            Runnable whenDoubtful) {
        this(options, login, clockAndRandom, timekeeper, refusedKinds, pushes, listener, whenDoubtful, false);
    }

    /** The time in nanoseconds, comparable with the deadlines of commands. */
    public long now() {
        return clockAndRandom.clock().getAsLong();
    }
}
