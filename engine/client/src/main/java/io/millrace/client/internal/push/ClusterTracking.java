// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.ClientOptions;
import io.millrace.client.Invalidation;
import io.millrace.client.RedisUri;
import io.millrace.client.Tracking;
import io.millrace.client.TrackingOptions;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.internal.connect.Login;
import io.millrace.client.internal.connect.NodeOptions;
import io.millrace.client.internal.time.ClockAndRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Tracking in a cluster: one connection to each primary, because each server reports the keys that it changes itself. All
 * connections fill one mailbox. If a slot moves, the former owner reports its keys, because the move removes them.
 *
 * <p>A change of the primaries invalidates all keys. Then {@link #isUpToDate} is false until each primary has a connection.
 */
public final class ClusterTracking implements Tracking {

    private final ClientOptions client;
    private final Login login;
    private final ClockAndRandom clockAndRandom;
    private final TrackingOptions options;
    private final Supplier<Set<RedisUri.Tcp>> primaries;
    private final Consumer<ClusterTracking> whenClosed;
    private final Mailbox<Invalidation> mailbox;

    private final ReentrantLock lock = new ReentrantLock();

    /** The connections of the primaries. The map is replaced under {@link #lock}, and read by any thread. */
    private volatile Map<RedisUri.Tcp, TrackingConnection> parts = Map.of();

    /** Guarded by {@link #lock}. */
    private boolean closed;

    /**
     * Creates a tracking without connections.
     *
     * @param primaries the present primaries of the cluster
     * @param whenClosed receives this object when it is closed
     */
    public ClusterTracking(
            ClientOptions client,
            Login login,
            ClockAndRandom clockAndRandom,
            TrackingOptions options,
            Supplier<Set<RedisUri.Tcp>> primaries,
            Consumer<ClusterTracking> whenClosed) {
        this.client = client;
        this.login = login;
        this.clockAndRandom = clockAndRandom;
        this.options = options;
        this.primaries = primaries;
        this.whenClosed = whenClosed;
        this.mailbox = TrackingConnection.newMailbox(options);
    }

    /**
     * Begins tracking at all primaries, and waits until they have confirmed it.
     *
     * @throws ConnectException if a primary does not confirm the tracking; then this object is closed
     */
    public void open() {
        List<TrackingConnection> opened = new ArrayList<>();
        Map<RedisUri.Tcp, TrackingConnection> all = new HashMap<>();
        boolean complete = false;
        try {
            for (RedisUri.Tcp primary : primaries.get()) {
                TrackingConnection part = part(primary, false);
                part.start();
                opened.add(part);
                all.put(primary, part);
            }
            complete = true;
        } finally {
            if (!complete) {
                opened.forEach(TrackingConnection::close);
                close();
            }
        }
        lock.lock();
        try {
            parts = Map.copyOf(all);
        } finally {
            lock.unlock();
        }
    }

    private TrackingConnection part(RedisUri.Tcp primary, boolean wasEstablished) {
        ClientOptions ofNode = NodeOptions.of(client, primary);
        return new TrackingConnection(ofNode, login, clockAndRandom, options, mailbox, wasEstablished);
    }

    /** The cluster may have other primaries. Does not wait for connections. */
    public void primariesChanged() {
        lock.lock();
        try {
            // Under the lock, so that the last of several calls uses the newest primaries.
            Set<RedisUri.Tcp> now = primaries.get();
            if (!closed && !now.equals(parts.keySet())) {
                replaceParts(now);
            }
        } finally {
            lock.unlock();
        }
    }

    private void replaceParts(Set<RedisUri.Tcp> newPrimaries) {
        Map<RedisUri.Tcp, TrackingConnection> all = new HashMap<>(parts);
        List<TrackingConnection> left = new ArrayList<>();
        all.entrySet().removeIf(entry -> {
            boolean hasLeft = !newPrimaries.contains(entry.getKey());
            if (hasLeft) {
                left.add(entry.getValue());
            }
            return hasLeft;
        });
        for (RedisUri.Tcp primary : newPrimaries) {
            if (!all.containsKey(primary)) {
                TrackingConnection part = part(primary, true);
                part.startLater();
                all.put(primary, part);
            }
        }
        parts = Map.copyOf(all);
        mailbox.put(new Invalidation.Everything(Invalidation.Cause.RECONNECTED));
        left.forEach(TrackingConnection::closeQuietly);
    }

    @Override
    public Optional<Invalidation> poll(Duration timeout) {
        return mailbox.take(timeout);
    }

    @Override
    public int waiting() {
        return mailbox.size();
    }

    @Override
    public boolean isUpToDate() {
        Map<RedisUri.Tcp, TrackingConnection> all = parts;
        return !all.isEmpty() && all.values().stream().allMatch(TrackingConnection::isUpToDate);
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        whenClosed.accept(this);
        parts.values().forEach(TrackingConnection::close);
        mailbox.close(null);
    }
}
