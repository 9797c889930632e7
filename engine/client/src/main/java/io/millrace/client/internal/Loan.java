// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** What is known of a dedicated connection that is lent: to whom, where, since when. Does not know its {@link Lease}. */
final class Loan implements Runnable {

    private static final System.Logger LOG = System.getLogger("io.millrace.client");

    private static final StackWalker STACK = StackWalker.getInstance();

    private static final String OUR_PACKAGE = Loan.class.getPackageName() + ".";

    private final Pool pool;
    private final SharedConnection connection;
    private final String thread = name(Thread.currentThread());
    private final String place = STACK.walk(frames ->
            frames.filter(Loan::isCallers).findFirst().map(Loan::shown).orElse("unknown"));
    private final long since;
    private final AtomicBoolean over = new AtomicBoolean();

    /** On the borrower's thread. */
    Loan(Pool pool, SharedConnection connection) {
        this.pool = pool;
        this.connection = connection;
        this.since = connection.now();
    }

    private static boolean isCallers(StackWalker.StackFrame frame) {
        return !frame.getClassName().startsWith(OUR_PACKAGE)
                && !frame.getClassName().equals("io.millrace.client.RedisClient");
    }

    private static String shown(StackWalker.StackFrame frame) {
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

    /** The borrower gives it back. */
    void end(boolean clean) {
        if (over.compareAndSet(false, true)) {
            pool.giveBack(this, clean);
        }
    }

    /** The client is closed. The borrower may go on to use the connection, in vain, so it stays in the account. */
    void endWithClient() {
        if (over.compareAndSet(false, true)) {
            LOG.log(Level.WARNING, "a dedicated connection is closed with its client: " + this);
            connection.close();
        }
    }

    /** The borrower is gone without having given it back. */
    @Override
    public void run() {
        if (over.compareAndSet(false, true)) {
            LOG.log(Level.WARNING, "a dedicated connection was never given back: " + this + ". Close what you borrow");
            pool.giveBack(this, false);
        }
    }

    @Override
    public String toString() {
        return "borrowed by " + thread + " at " + place + " " + TimeUnit.NANOSECONDS.toMillis(connection.now() - since)
                + " ms ago";
    }
}
