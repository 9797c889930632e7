// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import io.millrace.client.internal.thread.ClientThreads;
import io.millrace.resp.Reply;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks all Sentinels at the same time for the address of a primary. A Sentinel that has lost its network, or is behind
 * the others, may name a server that is no primary any more. So the caller connects to one address after the other, until
 * a server confirms that it is a primary.
 *
 * <p>Each Sentinel is asked by a thread of its own. The threads end with their answers, at the time limit, or soon after
 * {@link #close}. All methods are for the thread of the connection attempt.
 */
final class SentinelQuery implements AutoCloseable {

    /**
     * The answer of one Sentinel.
     *
     * @param address the address that the Sentinel named; null if it named none
     * @param failure why there is no address; empty otherwise
     */
    private record Answer(RedisUri.@Nullable Tcp address, String failure) {}

    private final RedisUri uri;
    private final RedisUri.Sentinels sentinels;
    private final SentinelReplies replies;
    private final ConnectLimit limit;

    /** The threads that ask put their answers here: one answer for each Sentinel, so the queue is bounded. */
    private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();

    /** The sockets of the threads that ask. A thread adds its socket before it reads {@link #closed}. */
    private final Set<Closeable> sockets = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    // Used by the thread of the connection attempt only.

    /** Number of Sentinels that have not answered. */
    private int missing;

    /** The addresses that {@link #next} has returned. */
    private final Set<RedisUri.Tcp> named = new HashSet<>();

    /** Why there is no primary, a text for each Sentinel and each address. */
    private final List<String> failures = new ArrayList<>();

    /** The refusal of a server that a Sentinel has named, such as a wrong password; null if there is none. */
    private @Nullable ConnectException refusal;

    private SentinelQuery(ClientOptions options, RedisUri.Sentinels sentinels, ConnectLimit limit) {
        this.uri = options.uri();
        this.sentinels = sentinels;
        this.replies = new SentinelReplies(new AnnouncedAddresses(options.addressMap()));
        this.limit = limit;
        this.missing = sentinels.addresses().size();
    }

    /** Starts to ask the Sentinels of the URI of {@code options}. */
    static SentinelQuery start(ClientOptions options, RedisUri.Sentinels sentinels, ConnectLimit limit) {
        SentinelQuery query = new SentinelQuery(options, sentinels, limit);
        boolean started = false;
        try {
            for (RedisUri.Tcp sentinel : sentinels.addresses()) {
                ClientOptions ofSentinel = SentinelOptions.of(options, sentinels, sentinel);
                ClientThreads.platform("millrace-sentinel", () -> query.answer(ofSentinel, sentinel))
                        .start();
            }
            started = true;
        } finally {
            if (!started) {
                query.close();
            }
        }
        return query;
    }

    // Called by the threads that ask.

    private void answer(ClientOptions options, RedisUri.Tcp sentinel) {
        Answer answer = new Answer(null, "the thread that asked has failed");
        try {
            answer = ask(options);
        } catch (ConnectException | IOException e) {
            answer = new Answer(null, Connector.describe(e));
        } finally {
            answers.add(
                    answer.failure.isEmpty()
                            ? answer
                            : new Answer(null, "Sentinel " + EndpointText.of(sentinel) + ": " + answer.failure));
        }
    }

    private Answer ask(ClientOptions options) throws IOException {
        try (DirectConnection sentinel = DirectConnection.open(options, new Login(options), limit, this::opened)) {
            return answer(sentinel.ask(limit, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", sentinels.primary()));
        }
    }

    private Answer answer(Reply answer) {
        return switch (answer) {
            case Reply.ErrorReply error -> new Answer(null, error.message());
            case Reply reply -> {
                RedisUri.Tcp address = replies.address(reply);
                yield address == null
                        ? new Answer(null, "knows no primary of the name " + sentinels.primary())
                        : new Answer(address, "");
            }
        };
    }

    private void opened(Closeable socket) {
        sockets.add(socket);
        if (closed) {
            Sockets.closeQuietly(socket);
        }
    }

    // Called by the thread of the connection attempt.

    /**
     * Waits for the next address that no Sentinel has named before. Returns null if there is none within the limit, or if
     * the thread is interrupted.
     */
    RedisUri.@Nullable Tcp next() {
        while (missing > 0) {
            Answer answer = await();
            if (answer == null) {
                failures.add(missing + " of " + sentinels.addresses().size() + " Sentinels did not answer within "
                        + limit.millis() + " ms");
                return null;
            }
            missing--;
            if (answer.address == null) {
                failures.add(answer.failure);
            } else if (named.add(answer.address)) {
                return answer.address;
            }
        }
        return null;
    }

    private @Nullable Answer await() {
        try {
            return answers.poll(limit.nanosLeft(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** Whether every Sentinel has answered, so that {@link #next} cannot return another address. */
    boolean isComplete() {
        return missing == 0;
    }

    /** The server at {@code address} has told that it is no primary, or has not told its role. */
    void isNoPrimary(RedisUri.Tcp address) {
        failures.add(EndpointText.of(address) + " is not a primary");
    }

    /** The server at {@code address} cannot be used. */
    void failed(RedisUri.Tcp address, ConnectException why) {
        failures.add(EndpointText.of(address) + ": " + Connector.describe(why));
        if (why.reason() != Reason.UNREACHABLE) {
            refusal = why;
        }
    }

    /** Why {@link #next} returned no address whose server could be used. */
    ConnectException failure() {
        String message = "cannot connect to " + uri + ": no Sentinel names a primary that can be used: "
                + String.join("; ", failures)
                + ". Check the addresses of the Sentinels, the name of the primary, and the logins.";
        return refusal == null
                ? new ConnectException(Reason.UNREACHABLE, message)
                : new ConnectException(refusal.reason(), message, refusal);
    }

    /** Closes the connections to Sentinels that have not answered. */
    @Override
    public void close() {
        closed = true;
        sockets.forEach(Sockets::closeQuietly);
    }
}
