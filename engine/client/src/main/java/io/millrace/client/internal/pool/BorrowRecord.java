// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.pool;

import io.millrace.client.internal.log.ClientLog;
import io.millrace.client.internal.shared.SharedConnection;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The record of a borrowed connection: borrower, code location and time. Has no reference to its {@link
 * BorrowedConnection}. So the {@code BorrowedConnection} can be garbage collected.
 */
final class BorrowRecord implements Runnable {

    private static final StackWalker STACK = StackWalker.getInstance();

    private static final String INTERNAL_PACKAGE = "io.millrace.client.internal.";

    private final Pool pool;
    private final SharedConnection connection;
    private final String thread = name(Thread.currentThread());
    private final String location = STACK.walk(frames -> frames.filter(BorrowRecord::isCallerFrame)
            .findFirst()
            .map(BorrowRecord::described)
            .orElse("unknown"));
    private final long since;
    private final AtomicBoolean ended = new AtomicBoolean();

    /** Must be called on the borrower's thread. */
    BorrowRecord(Pool pool, SharedConnection connection) {
        this.pool = pool;
        this.connection = connection;
        this.since = connection.now();
    }

    private static boolean isCallerFrame(StackWalker.StackFrame frame) {
        return !frame.getClassName().startsWith(INTERNAL_PACKAGE)
                && !frame.getClassName().equals("io.millrace.client.RedisClient");
    }

    private static String described(StackWalker.StackFrame frame) {
        return frame.getClassName() + "." + frame.getMethodName() + ":" + frame.getLineNumber();
    }

    private static String name(Thread thread) {
        return thread.getName().isEmpty()
                ? (thread.isVirtual() ? "virtual thread " : "thread ") + thread.threadId()
                : "thread \"" + thread.getName() + "\"";
    }

    SharedConnection connection() {
        return connection;
    }

    long since() {
        return since;
    }

    /** Called when the borrower returns the connection. */
    void giveBack(boolean clean) {
        if (ended.compareAndSet(false, true)) {
            pool.giveBack(this, clean);
        }
    }

    /**
     * Called when the client is closed. The stats of the connection are kept, because the borrower may still send
     * commands, which fail.
     */
    void closeWithClient() {
        if (ended.compareAndSet(false, true)) {
            ClientLog.logger().log(Level.WARNING, "a borrowed connection was closed together with its client: " + this);
            connection.close();
        }
    }

    /** Called when the {@link BorrowedConnection} was garbage collected and the connection was not returned. */
    @Override
    public void run() {
        if (ended.compareAndSet(false, true)) {
            ClientLog.logger()
                    .log(
                            Level.WARNING,
                            "a dedicated connection was never returned: " + this + ". Close borrowed connections");
            pool.giveBack(this, false);
        }
    }

    @Override
    public String toString() {
        return "borrowed by " + thread + " at " + location + " "
                + TimeUnit.NANOSECONDS.toMillis(connection.now() - since) + " ms ago";
    }
}
