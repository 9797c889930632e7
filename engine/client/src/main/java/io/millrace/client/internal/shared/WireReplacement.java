// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Outcome;
import io.millrace.client.internal.connect.Connector;
import io.millrace.client.internal.connect.HandshakeResult;
import io.millrace.client.internal.connect.Reconnector;
import io.millrace.client.internal.log.ClientLog;
import io.millrace.client.internal.time.Timekeeper;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the wire of a {@link SharedConnection}. Used by the writer while it has the sending role. Any thread may offer
 * a successor.
 */
final class WireReplacement {

    /**
     * A server that was replaced by another primary usually answers at once. After one second without a reply, the wait
     * would only delay the commands that can go to the new primary.
     */
    private static final long LONGEST_SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final SharedConnection connection;
    private final Reconnector reconnector;
    private final WireAppender appender;
    private final LostSubmissions lostSubmissions;

    /**
     * A connection to a primary that the next wire uses; null if there is none. Set by the thread of a {@link
     * io.millrace.client.internal.connect.PrimarySearch}, taken by the writer.
     */
    private final AtomicReference<@Nullable HandshakeResult> successor = new AtomicReference<>();

    WireReplacement(
            SharedConnection connection,
            Reconnector reconnector,
            WireAppender appender,
            LostSubmissions lostSubmissions) {
        this.connection = connection;
        this.reconnector = reconnector;
        this.appender = appender;
        this.lostSubmissions = lostSubmissions;
    }

    /** Any thread: offers a new connection for the next wire. */
    void offer(HandshakeResult next) {
        successor.set(next);
    }

    /** Any thread: returns whether the current wire must be replaced by a wire over the offered connection. */
    boolean hasSuccessor() {
        return successor.get() != null;
    }

    /** Any thread: closes the offered connection, if there is one. */
    void closeSuccessor() {
        HandshakeResult unused = successor.getAndSet(null);
        if (unused != null) {
            unused.transport().close();
        }
    }

    /**
     * Handles the submissions of the {@code lost} wire: some submissions end as lost, and the others are kept and sent
     * again. Then reconnects, if {@code reconnect}.
     *
     * @param begin starts the new wire, and may throw any exception
     * @return whether there is a new wire
     */
    boolean replace(Wire lost, boolean reconnect, Consumer<Wire> begin) {
        lost.awaitEnd();
        Loss loss = lost.loss(reconnect || lostSubmissions.reroutes());
        Submission unappended = appender.takeUnappended();
        if (unappended != null) {
            lostSubmissions.lose(unappended, new Outcome.Lost(unappended.lostWires > 0, loss.cause()));
        }
        lostSubmissions.endOrKeep(lost, loss);
        if (!reconnect) {
            closeSuccessor();
            return false;
        }
        connection.context().whenDoubtful().run();
        HandshakeResult next = successor.getAndSet(null);
        if (next == null) {
            return connectAgain(lost, begin);
        }
        boolean used = use(next, begin);
        connection.primary().successorUsed();
        return used || connectAgain(lost, begin);
    }

    /**
     * Sends no further submission over {@code old}, and waits until all its replies have arrived. The wait ends
     *
     * <ul>
     *   <li>after half of the default timeout of a command, so that the waiting commands can still be sent over the next
     *       wire
     *   <li>after {@link #LONGEST_SILENCE_NANOS} without a reply: the old server hangs
     *   <li>when {@code old} ends, or when {@code cancelled} returns true
     * </ul>
     */
    void drain(Wire old, BooleanSupplier cancelled) {
        long start = connection.now();
        long limit = connection.timeoutNanos() / 2;
        try {
            while (old.isOpen()
                    && !cancelled.getAsBoolean()
                    && connection.now() - start < limit
                    && connection.now() - Math.max(start, old.lastReadNanos()) < LONGEST_SILENCE_NANOS) {
                while (old.unsent() > 0 && old.sendSome()) {}
                if (old.unsent() == 0 && old.isIdle()) {
                    return;
                }
                lostSubmissions.dropDecided();
                LockSupport.parkNanos(this, Timekeeper.TICK_NANOS);
            }
        } catch (IOException e) {
            old.end("writing failed: " + Connector.describe(e));
        }
    }

    private boolean use(HandshakeResult next, Consumer<Wire> begin) {
        try {
            begin.accept(new Wire(connection, next));
            reconnector.connected(next.role());
            reconnector.changed();
            ClientLog.logger()
                    .log(
                            Level.INFO,
                            "the connection {1} of {0} now uses a primary at another address",
                            connection.options().uri(),
                            connection.name());
            return true;
        } catch (Throwable e) {
            // There are too few threads or too little memory.
            next.transport().close();
            return false;
        }
    }

    private boolean connectAgain(Wire lost, Consumer<Wire> begin) {
        String cause = lost.cause();
        boolean useful = lost.unanswered().hasReplies();
        while (true) {
            HandshakeResult handshakeResult = reconnector.connect(cause, useful, this::duringOutage);
            if (handshakeResult == null) {
                return false;
            }
            try {
                begin.accept(new Wire(connection, handshakeResult));
                reconnector.connected(handshakeResult.role());
                return true;
            } catch (Throwable e) {
                // There are too few threads or too little memory. A later attempt may succeed.
                handshakeResult.transport().close();
                cause = Connector.describe(e);
                useful = false;
            }
        }
    }

    /**
     * Called every few milliseconds while there is no wire. The waiting submissions wait for the next wire. But if the
     * server refused the login, an outage may last until somebody acts. So the submissions are then lost at once, with
     * the refusal as the cause.
     */
    private void duringOutage() {
        String refusal = reconnector.refusal();
        if (refusal == null) {
            lostSubmissions.dropDecided();
        } else {
            lostSubmissions.loseWaiting(refusal);
        }
    }
}
