// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import io.millrace.client.internal.connect.AnnouncedAddresses;
import io.millrace.client.internal.connect.Backoff;
import io.millrace.client.internal.connect.SlotsQuery;
import io.millrace.client.internal.log.ClientLog;
import io.millrace.client.internal.server.ServerConnections;
import io.millrace.client.internal.thread.ClientThreads;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.resp.Reply;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Knows the nodes of a cluster, and which node has which slots.
 *
 * <p>DESIGN. One thread, {@code millrace-topology}, does all the work: it asks nodes for the owners of the slots, opens new
 * nodes, retires nodes that have left, and publishes the result as new {@link Routes}. Other threads read the routes, tell what
 * they have noticed ({@link #moved}, {@link #wanted}, {@link #requestRefresh}), and never wait for the work, except a command whose slot
 * has no node. The thread refreshes the slot map when another thread requests a refresh, but not more often than every
 * {@link #SHORTEST_PAUSE_NANOS}, and also every {@link #LONGEST_PAUSE_NANOS}.
 */
final class Topology implements AutoCloseable {

    /** A move of many slots causes many redirects. One refresh every 50 ms follows the move closely enough. */
    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** While a primary does not work, the cluster may promote a replica at any time. */
    private static final long PAUSE_WITHOUT_PRIMARY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** The time between two checks whether each primary works. */
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Finds new nodes to which no slot was redirected, and nodes that have left without a lost connection. */
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final ClientOptions options;
    private final List<RedisUri.Tcp> seeds;
    private final AnnouncedAddresses announced;
    private final LongSupplier clock;
    private final SlotsQuery query;
    private final NodeLifecycle nodes;
    private final NodeOpener opener;
    private final Backoff backoff;
    private final Thread thread;

    /** Written by the topology thread; read by any thread. */
    private volatile Routes routes = Routes.NONE;

    private final RedirectNotes redirects = new RedirectNotes(LONGEST_PAUSE_NANOS);

    /** Whether a refresh is due before the longest pause has passed. Set by any thread, reset by the topology thread. */
    private volatile boolean refreshDue;

    /** Number of nodes that have answered with their slots. Written by the topology thread. */
    private final AtomicLong answers = new AtomicLong();

    /** Why the last refresh failed; null if it succeeded. Written by the topology thread. */
    private volatile @Nullable String failure;

    /** Used by the topology thread, and after its end by {@link #close}. */
    private final LeavingNodes leaving;

    /** Time of the last answer. Written by the topology thread. */
    private volatile long answered;

    private final ReentrantLock lock = new ReentrantLock();

    /** Signalled after each change of {@link #routes}, and at the end. Belongs to {@link #lock}. */
    private final Condition changed = lock.newCondition();

    /** Set to true by {@link #close}; never reset. */
    private volatile boolean closed;

    /**
     * Creates a topology that knows no nodes.
     *
     * @param nodes opens nodes, and learns of changes
     */
    Topology(
            ClientOptions options,
            RedisUri.Cluster cluster,
            SlotsQuery query,
            ClockAndRandom clockAndRandom,
            NodeLifecycle nodes) {
        this.options = options;
        this.seeds = cluster.nodes();
        this.announced = new AnnouncedAddresses(options.addressMap());
        this.clock = clockAndRandom.clock();
        this.answered = clock.getAsLong() - PAUSE_WITHOUT_PRIMARY_NANOS;
        this.query = query;
        this.nodes = nodes;
        this.opener = new NodeOpener(options, clockAndRandom, nodes);
        this.leaving = new LeavingNodes(nodes);
        this.backoff = new Backoff(options.reconnectDelay(), options.maxReconnectDelay(), clockAndRandom.random());
        this.thread = ClientThreads.platform("millrace-topology", this::work);
    }

    /**
     * Refreshes the slot map for the first time, and starts the thread. If the client connects later, only starts the thread.
     *
     * @throws ConnectException if no node answers, or no node can be opened
     */
    void start() {
        if (!options.connectLater()) {
            refresh();
            if (routes.nodes().isEmpty()) {
                throw new ConnectException(
                        Reason.UNREACHABLE,
                        "cannot connect to " + options.uri() + ": " + obstacle(0)
                                + ". Check the state of the cluster, and the addresses that its nodes announce.");
            }
        }
        thread.start();
    }

    // Called by any thread.

    Routes routes() {
        return routes;
    }

    /** Reads an error of the node at {@code asked}; null if the error is no redirect. */
    @Nullable
    Redirect redirect(Reply.ErrorReply error, RedisUri.Tcp asked) {
        return Redirect.of(error, asked, announced);
    }

    /** A node has answered that {@code slot} belongs to the node at {@code address}. */
    void moved(int slot, RedisUri.Tcp address) {
        redirects.moved(slot, address);
        requestRefresh();
    }

    /** A redirect needs the node at {@code address}. */
    void wanted(RedisUri.Tcp address) {
        if (redirects.wanted(address)) {
            requestRefresh();
        }
    }

    /** The owners may have changed. */
    void requestRefresh() {
        refreshDue = true;
        LockSupport.unpark(thread);
    }

    /**
     * Waits until {@code slot} has a node. Returns null if it has none at {@code deadline}, if the cluster says that no node has
     * the slot, if the node refuses the login or TLS, if the client is closed, or if the thread is interrupted.
     */
    @Nullable
    ServerConnections awaitOwner(int slot, long deadline) {
        ServerConnections owner = routes.ownerOf(slot);
        if (owner == null && isUnusable(slot) && clock.getAsLong() - answered < PAUSE_WITHOUT_PRIMARY_NANOS) {
            // Otherwise, each of many commands would wait for new answers, one after the other.
            requestRefresh();
        } else if (owner == null) {
            long before = answers.get();
            // A caller that refuses to wait needs new answers, too: otherwise its next commands find no owner either.
            requestRefresh();
            await(
                    deadline,
                    () -> routes.ownerOf(slot) != null
                            // The first of these answers may be older than the begin of this wait.
                            || (answers.get() - before >= 2 && isUnusable(slot)));
            owner = routes.ownerOf(slot);
        }
        return owner;
    }

    private boolean isUnusable(int slot) {
        RedisUri.Tcp owner = routes.map().ownerOf(slot);
        return owner == null || opener.refuses(owner);
    }

    /**
     * A command over a dedicated connection was redirected. Waits until the slot has its new owner, or a short time if only the
     * keys of this command have moved.
     *
     * @return false if {@code deadline} has passed, the client is closed, or the thread is interrupted
     */
    boolean follow(Redirect redirect, long deadline) {
        if (!redirect.asks()) {
            moved(redirect.slot(), redirect.address());
        }
        long until = Math.min(deadline - clock.getAsLong(), SHORTEST_PAUSE_NANOS) + clock.getAsLong();
        await(
                until,
                () -> redirect.address().equals(routes.map().ownerOf(redirect.slot()))
                        && routes.ownerOf(redirect.slot()) != null);
        return !closed && !Thread.currentThread().isInterrupted() && deadline - clock.getAsLong() > 0;
    }

    /** Waits until {@code reached}, until {@code deadline}, until the client is closed, or until an interrupt. */
    private void await(long deadline, BooleanSupplier reached) {
        lock.lock();
        try {
            long left = deadline - clock.getAsLong();
            while (!reached.getAsBoolean() && !closed && left > 0) {
                requestRefresh();
                long unused = changed.awaitNanos(left);
                left = deadline - clock.getAsLong();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** Why the node at {@code address} refused the login or TLS when it was opened; null if it did not refuse them. */
    @Nullable
    String refusal(RedisUri.@Nullable Tcp address) {
        return address == null ? null : opener.refusal(address);
    }

    /** Why a slot has no node that can be used. */
    String obstacle(int slot) {
        return "slot " + slot + " has no usable node" + reason(routes.map().ownerOf(slot));
    }

    /** Why a command without keys has no node that can be used. */
    String obstacleWithoutKeys() {
        List<RedisUri.Tcp> primaries = routes.map().primaries();
        return "no node can be used for a command without keys"
                + reason(primaries.isEmpty() ? null : primaries.getFirst());
    }

    private String reason(RedisUri.@Nullable Tcp owner) {
        String unreachable = owner == null ? null : opener.reason(owner);
        String why = closed ? "the client is closed" : unreachable == null ? failure : unreachable;
        return why == null ? "" : ": " + why;
    }

    // Called by the topology thread.

    private void work() {
        await(options.connectLater() ? 0 : LONGEST_PAUSE_NANOS);
        while (!closed) {
            long pause = LONGEST_PAUSE_NANOS;
            try {
                refresh();
                backoff.reset();
            } catch (ConnectException e) {
                pause = Math.max(SHORTEST_PAUSE_NANOS, backoff.nextNanos());
                ClientLog.logger().log(Level.WARNING, String.valueOf(e.getMessage()));
            } catch (Throwable e) {
                pause = options.maxReconnectDelay().toNanos();
                ClientLog.logger().log(Level.WARNING, "cannot ask the cluster " + options.uri(), e);
            }
            await(pause);
        }
    }

    private void await(long nanos) {
        long start = clock.getAsLong();
        long left = Math.min(nanos, SHORTEST_PAUSE_NANOS);
        while (!closed && left > 0) {
            LockSupport.parkNanos(this, Math.min(left, leaving.isEmpty() ? CHECK_NANOS : SHORTEST_PAUSE_NANOS));
            leaving.closeFinished();
            long now = clock.getAsLong();
            long pause = refreshDue
                    ? SHORTEST_PAUSE_NANOS
                    : Math.max(
                            SHORTEST_PAUSE_NANOS,
                            opener.nanosToNext(now, primariesWork() ? nanos : PAUSE_WITHOUT_PRIMARY_NANOS));
            left = Math.min(pause, nanos) - (now - start);
        }
    }

    /** Whether all primaries are open and answer. */
    private boolean primariesWork() {
        Routes now = routes;
        return now.map().primaries().stream()
                .map(now.nodes()::get)
                .allMatch(node -> node != null && node.isOpen() && !node.isStalled(CHECK_NANOS));
    }

    private void refresh() {
        if (!refreshDue && primariesWork()) {
            query.askAnother();
        }
        refreshDue = false;
        Map<Integer, RedisUri.Tcp> moved = redirects.takeMoved();
        if (!moved.isEmpty() || !redirects.wanted().isEmpty()) {
            // Before the cluster is asked, so that the redirected commands can go on.
            publish(routes.map().with(moved), false);
        }
        try {
            SlotsQuery.SlotsAnswer answer = query.ask(candidates());
            SlotMap map = SlotMap.of(answer.slots(), answer.node(), announced);
            // The node of the answer may not know of a move yet.
            publish(map.with(moved), true);
            answered = clock.getAsLong();
            answers.incrementAndGet();
            nodes.refreshed();
        } catch (ConnectException e) {
            failure = String.valueOf(e.getMessage());
            throw e;
        }
    }

    /** The nodes to ask: the known ones, then the addresses of the URI. A node that could not be opened is asked later. */
    private List<RedisUri.Tcp> candidates() {
        Set<RedisUri.Tcp> all = new LinkedHashSet<>(routes.map().primaries());
        all.addAll(routes.nodes().keySet());
        all.addAll(seeds);
        long now = clock.getAsLong();
        List<RedisUri.Tcp> usable =
                all.stream().filter(address -> opener.mayOpen(address, now)).toList();
        return usable.isEmpty() ? List.copyOf(all) : usable;
    }

    /**
     * Opens the nodes of {@code map}, publishes it, and lets the other nodes leave.
     *
     * @param complete whether a node has answered with the whole map, so that a node without slots has left
     */
    private void publish(SlotMap map, boolean complete) {
        Map<RedisUri.Tcp, ServerConnections> all = new HashMap<>(routes.nodes());
        Set<RedisUri.Tcp> redirectedTo = redirects.wanted();
        Set<RedisUri.Tcp> needed = new HashSet<>(map.primaries());
        needed.addAll(redirectedTo);
        for (RedisUri.Tcp address : needed) {
            ServerConnections node =
                    all.containsKey(address) ? null : opener.open(address, thread.isAlive(), this::requestRefresh);
            if (node != null) {
                all.put(address, node);
            }
        }
        redirects.tried(redirectedTo, clock.getAsLong());
        List<ServerConnections> left = new ArrayList<>();
        if (complete) {
            opener.keepOnly(needed);
            failure = null;
            all.entrySet().removeIf(entry -> {
                boolean hasLeft = !needed.contains(entry.getKey()) && !redirects.neededLately(entry.getKey());
                if (hasLeft) {
                    left.add(entry.getValue());
                }
                return hasLeft;
            });
        }
        Routes next = new Routes(map, all);
        nodes.change(routes.differences(next), () -> publish(next));
        left.forEach(leaving::add);
        leaving.closeFinished();
    }

    private void publish(Routes next) {
        lock.lock();
        try {
            if (closed) {
                next.nodes().values().forEach(ServerConnections::close);
            } else {
                routes = next;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Closes all nodes. Waits until the thread has stopped. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        query.close();
        LockSupport.unpark(thread);
        ClientThreads.join(thread);
        leaving.closeAll();
        routes.nodes().values().forEach(ServerConnections::close);
    }
}
