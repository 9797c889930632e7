// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.ClientOptions;
import io.millrace.client.Credentials;
import io.millrace.client.CredentialsProvider;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import io.millrace.client.internal.log.ClientLog;
import io.millrace.client.internal.thread.ClientThreads;
import io.millrace.resp.Reply;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The credentials of all connections of a client. Asks the provider, and tells the connections when the credentials
 * have changed. Thread-safe.
 *
 * <p>DESIGN. Each renewal has a number, the version. A connection attempt reads the version before it asks the
 * provider. Each connection remembers the version of its last login, and compares it with {@link #version} before it
 * sends. A renewal first publishes the new version and then calls the listeners. A connection first becomes a listener
 * and then compares the versions. So no connection misses a renewal, also if a renewal and a handshake run at the same
 * time.
 */
public final class Login {

    private final ClientOptions options;
    private final CredentialsProvider provider;

    /** Held while the provider is called. So there is at most one stuck thread if the provider never returns. */
    private final ReentrantLock asking = new ReentrantLock();

    private final Set<LoginListener> listeners = ConcurrentHashMap.newKeySet();

    /** The last renewal. Written under {@link #asking}, read by any thread. */
    private volatile Renewed latest = new Renewed(0, Credentials.none());

    /** The last refused renewal of any connection; null if there is none. Written and read by any thread. */
    private volatile @Nullable RefusedRenewal lastRefusal;

    /** The result of one renewal. */
    public record Renewed(long version, Credentials credentials) {}

    /**
     * A server has refused a renewal.
     *
     * @param message names the connection; contains no secret
     */
    record RefusedRenewal(long version, String message) {}

    public Login(ClientOptions options) {
        this.options = options;
        this.provider = options.credentials();
    }

    // Called by any thread.

    /** Number of renewals so far. */
    public long version() {
        return latest.version;
    }

    /** Returns the credentials of the last renewal, and their version. */
    public Renewed latest() {
        return latest;
    }

    /** Adds a connection. The connection must then compare its version with {@link #version}. */
    public void add(LoginListener listener) {
        listeners.add(listener);
    }

    public void remove(LoginListener listener) {
        listeners.remove(listener);
    }

    /**
     * A connection calls this method with the reply to an {@code AUTH} of a renewal. A refusal is logged on another
     * thread, because a thread that reads replies must not wait for the log. A refused {@code AUTH} does not change the
     * connection: it keeps its earlier login.
     */
    public void answered(String connection, Renewed sent, Reply reply) {
        if (reply instanceof Reply.ErrorReply error) {
            String message = "the server refused the new credentials on the connection " + connection + ": "
                    + new LoginErrors(options.uri(), sent.credentials).withoutSecrets(error)
                    + ". The connection keeps its earlier login.";
            lastRefusal = new RefusedRenewal(sent.version, message);
            ClientThreads.startVirtual("millrace-log", () -> ClientLog.logger().log(Level.WARNING, message));
        }
    }

    @Nullable
    RefusedRenewal lastRefusal() {
        return lastRefusal;
    }

    boolean isPending(long version) {
        for (LoginListener listener : listeners) {
            if (listener.isLoginPending(version)) {
                return true;
            }
        }
        return false;
    }

    // Called by the thread of a connection attempt or of a renewal.

    /**
     * Asks the provider. Waits while another thread asks, at most until the end of {@code limit}. The provider itself is
     * not limited here: the thread that waits for the attempt interrupts the calling thread at the limit.
     *
     * @throws ConnectException if there are no credentials
     */
    Credentials ask(ConnectLimit limit) {
        lock(limit);
        try {
            return askProvider();
        } finally {
            asking.unlock();
        }
    }

    /** Asks the provider, publishes the result as a new version, and informs all connections. Returns the version. */
    long renew(ConnectLimit limit) {
        lock(limit);
        try {
            Credentials credentials = askProvider();
            if (credentials.password().isEmpty() || Thread.currentThread().isInterrupted()) {
                // Without a password there is nothing to send. An interrupt means that the result is not wanted.
                return latest.version;
            }
            latest = new Renewed(latest.version + 1, credentials);
        } finally {
            asking.unlock();
        }
        listeners.forEach(LoginListener::loginChanged);
        return latest.version;
    }

    private void lock(ConnectLimit limit) {
        try {
            if (asking.tryLock(limit.nanosLeft(), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw tooSlow(limit);
    }

    // Nobody outside this class needs the difference between the exceptions of a provider.
    @SuppressWarnings("IllegalCatch")
    private Credentials askProvider() {
        Credentials credentials;
        try {
            credentials = provider.credentials();
        } catch (Throwable e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new ConnectException(
                    Reason.AUTHENTICATION,
                    failure("the credentials provider threw " + e.getClass().getName()),
                    e);
        }
        if (credentials == null) {
            throw new ConnectException(Reason.AUTHENTICATION, failure("the credentials provider returned null"));
        }
        return credentials;
    }

    ConnectException tooSlow(ConnectLimit limit) {
        return new ConnectException(
                Reason.AUTHENTICATION,
                failure("the credentials provider returned nothing within " + limit.millis()
                        + " ms. Fetch credentials in advance, or raise connectTimeout"));
    }

    private String failure(String why) {
        return "cannot log in to " + options.uri() + ": " + why + ".";
    }
}
