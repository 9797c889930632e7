// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.ClientOptions;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.client.internal.thread.ClientThreads;
import io.millrace.client.internal.time.Timekeeper;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * One call of {@code RedisClient.renewLogin}. A separate thread asks the provider, so that a provider that blocks cannot
 * delay the caller beyond the connect timeout. Then the caller waits for the replies on the shared connections.
 */
public final class LoginRenewal {

    private final Login login;
    private final ClientOptions options;
    private final LongSupplier clock;

    public LoginRenewal(Login login, ClientOptions options, LongSupplier clock) {
        this.login = login;
        this.options = options;
        this.clock = clock;
    }

    /**
     * Renews the login.
     *
     * @throws ConnectException if the provider failed, or the server refused the credentials on any connection
     * @throws TimedOutException if a shared connection received no reply within the command timeout
     * @throws InterruptedCommandException if the thread is interrupted while it waits
     */
    public void run() {
        long version = publish();
        awaitReplies(version);
        Login.RefusedRenewal refusal = login.lastRefusal();
        if (refusal != null && refusal.version() >= version) {
            throw new ConnectException(Reason.AUTHENTICATION, refusal.message());
        }
    }

    private long publish() {
        ConnectLimit limit = new ConnectLimit(clock, options.connectTimeout().toNanos());
        CompletableFuture<Long> renewed = new CompletableFuture<>();
        Thread thread = ClientThreads.platform("millrace-login", () -> {
            try {
                renewed.complete(login.renew(limit));
            } catch (Throwable e) {
                renewed.completeExceptionally(e);
            }
        });
        thread.start();
        boolean done = false;
        try {
            long version = renewed.get(limit.nanosLeft(), TimeUnit.NANOSECONDS);
            done = true;
            return version;
        } catch (InterruptedException e) {
            throw interrupted();
        } catch (TimeoutException e) {
            throw login.tooSlow(limit);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ConnectException failure
                    ? failure
                    : new ConnectException(Reason.AUTHENTICATION, "cannot renew the login of " + options.uri(), e);
        } finally {
            if (!done) {
                thread.interrupt();
            }
        }
    }

    private void awaitReplies(long version) {
        long start = clock.getAsLong();
        while (login.isPending(version)) {
            if (Thread.interrupted()) {
                throw interrupted();
            }
            if (clock.getAsLong() - start >= options.commandTimeout().toNanos()) {
                throw new TimedOutException("the renewal of the login timed out after "
                        + options.commandTimeout().toMillis() + " ms: a shared connection to " + options.uri()
                        + " received no reply to AUTH. The server may still accept the credentials");
            }
            LockSupport.parkNanos(this, Timekeeper.TICK_NANOS);
        }
    }

    private static InterruptedCommandException interrupted() {
        Thread.currentThread().interrupt();
        return new InterruptedCommandException(
                "the renewal of the login was interrupted. Some connections may have sent AUTH", true);
    }
}
