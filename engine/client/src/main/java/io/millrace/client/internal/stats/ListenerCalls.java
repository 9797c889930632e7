// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.stats;

import io.millrace.client.CommandListener;
import io.millrace.client.EndedCommand;
import io.millrace.client.internal.log.ClientLog;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Calls the {@link CommandListener} of a client. Counts each exception of the listener, and logs the first exception.
 * No exception reaches the caller, because the outcome of a command must reach the caller in any case. Thread-safe,
 * without locks.
 */
public final class ListenerCalls {

    private final CommandListener listener;
    private final String endpoint;
    private final LongAdder failures;
    private final AtomicBoolean logged;

    private ListenerCalls(CommandListener listener, String endpoint, LongAdder failures, AtomicBoolean logged) {
        this.listener = listener;
        this.endpoint = endpoint;
        this.failures = failures;
        this.logged = logged;
    }

    /** Returns the calls of {@code listener}; null if the listener is {@link CommandListener#NONE}. */
    public static @Nullable ListenerCalls of(CommandListener listener, String endpoint) {
        return CommandListener.NONE.equals(listener)
                ? null
                : new ListenerCalls(listener, endpoint, new LongAdder(), new AtomicBoolean());
    }

    /** Returns calls for commands to another endpoint. Both objects count the same failures. */
    public ListenerCalls at(String other) {
        return new ListenerCalls(listener, other, failures, logged);
    }

    public String endpoint() {
        return endpoint;
    }

    public @Nullable Object submitted(String name) {
        try {
            return listener.submitted(name);
        } catch (Throwable e) {
            failed(e);
            return null;
        }
    }

    public void ended(EndedCommand command) {
        try {
            listener.ended(command);
        } catch (Throwable e) {
            failed(e);
        }
    }

    private void failed(Throwable e) {
        failures.increment();
        if (logged.compareAndSet(false, true)) {
            ClientLog.logger().log(Level.WARNING, "a command listener failed; later failures are only counted", e);
        }
    }

    public long failures() {
        return failures.sum();
    }
}
