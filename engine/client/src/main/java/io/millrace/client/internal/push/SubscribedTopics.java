// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.Topic;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.internal.log.ClientLog;
import io.millrace.resp.Reply;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The wanted topics of a subscription, and the calls that wait until the server has confirmed a change. Thread-safe.
 *
 * <p>DESIGN. A call changes the wanted topics at once, and each change has a number, the version. The thread of the
 * connection reads a version, sends the differences to the server, and reports the version as confirmed when all their
 * replies have arrived. This ends all waiting calls up to this version. A new connection subscribes to all wanted
 * topics. So a lost connection, or a change during a change, needs no special case: the server follows the wanted
 * topics, and a call waits only for its version.
 *
 * <p>A topic is proven if it was given when the subscription was opened, or the server has confirmed it once. If the
 * server refuses a proven topic, the connection ends, and the next connection tries again. If the server refuses another
 * topic, the topic is removed.
 */
final class SubscribedTopics {

    /** Topics at one version, each with true if the topic is wanted, and false if it is not. */
    record Wanted(long version, Map<Topic, Boolean> topics) {}

    /**
     * Topics that another connection takes over.
     *
     * @param topics each with true if it is proven
     * @param served whether the server served at least one of them
     */
    record Taken(Map<Topic, Boolean> topics, boolean served) {}

    /** A call that waits. The thread of the connection completes {@code done}. */
    record Change(long version, Set<Topic> topics, boolean subscribes, CompletableFuture<@Nullable Void> done) {}

    /**
     * Maximum number of changed topics that are remembered, so that changes during a long outage need little memory. The
     * value is an estimate: a comparison of all topics costs less than a millisecond for so many topics.
     */
    static final int MAX_CHANGED = 4_096;

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by lock.

    /** The wanted topics, each with true if it is proven. */
    private final Map<Topic, Boolean> wanted = new LinkedHashMap<>();

    /**
     * Topics that were changed since the thread of the connection last read the topics. Above {@link #MAX_CHANGED}
     * topics, the set is cleared and {@code allChanged} is true: then all topics count as changed.
     */
    private final Set<Topic> changed = new LinkedHashSet<>();

    private boolean allChanged;

    /** Wanted topics that the server does not serve at present, because another node of the cluster does or will. */
    private final Set<Topic> unserved = new LinkedHashSet<>();

    private final List<Change> waiting = new ArrayList<>();

    /** Why the subscription has ended; null before. */
    private @Nullable String endCause;

    /** Number of changes. Written under the lock, read by any thread. */
    private volatile long version;

    /** Creates topics, each with true if it is proven. */
    SubscribedTopics(Map<Topic, Boolean> first) {
        wanted.putAll(first);
    }

    /** Creates topics that are all proven. */
    SubscribedTopics(Set<Topic> first) {
        first.forEach(topic -> wanted.put(topic, true));
    }

    // Called by any thread.

    /**
     * Adds or removes {@code topics}. The caller must then wake the thread of the connection.
     *
     * @throws ConnectionLostException if the subscription has ended
     */
    Change change(Set<Topic> topics, boolean subscribes) {
        lock.lock();
        try {
            if (endCause != null) {
                throw ended(endCause, false);
            }
            for (Topic topic : topics) {
                if (subscribes) {
                    wanted.putIfAbsent(topic, false);
                } else {
                    wanted.remove(topic);
                    unserved.remove(topic);
                }
            }
            changed(topics);
            Change change = new Change(version, topics, subscribes, new CompletableFuture<>());
            waiting.add(change);
            return change;
        } finally {
            lock.unlock();
        }
    }

    /** The caller holds the lock. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // Only written under the lock.
    private void changed(Set<Topic> topics) {
        changed.addAll(topics);
        if (changed.size() > MAX_CHANGED) {
            changed.clear();
            allChanged = true;
        }
        version++;
    }

    /**
     * Removes the topics for which {@code moves} is true, because another connection takes them over. Ends the calls that
     * wait for them. The caller must then wake the thread of the connection.
     */
    Taken take(Predicate<Topic> moves) {
        lock.lock();
        try {
            Map<Topic, Boolean> taken = new LinkedHashMap<>();
            wanted.forEach((topic, proven) -> {
                if (moves.test(topic)) {
                    taken.put(topic, proven);
                }
            });
            boolean served = !unserved.containsAll(taken.keySet());
            if (!taken.isEmpty()) {
                wanted.keySet().removeAll(taken.keySet());
                unserved.removeAll(taken.keySet());
                changed(taken.keySet());
                waiting.removeIf(
                        change -> !Collections.disjoint(change.topics, taken.keySet()) && change.done.complete(null));
            }
            return new Taken(taken, served);
        } finally {
            lock.unlock();
        }
    }

    /** Adds topics that another connection had, each with true if it is proven. The caller must then wake the thread. */
    void put(Map<Topic, Boolean> topics) {
        lock.lock();
        try {
            topics.forEach(wanted::putIfAbsent);
            changed(topics.keySet());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Lets the thread of the connection ask again for the topics that the server did not serve. Returns whether there are
     * any; the caller must then wake the thread.
     */
    boolean again() {
        lock.lock();
        try {
            if (unserved.isEmpty()) {
                return false;
            }
            changed(Set.copyOf(unserved));
            unserved.clear();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the server does not serve a wanted topic at present. */
    boolean hasUnserved() {
        lock.lock();
        try {
            return !unserved.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** The caller of {@code change} no longer waits. */
    void forget(Change change) {
        lock.lock();
        try {
            waiting.remove(change);
        } finally {
            lock.unlock();
        }
    }

    /** A copy of the wanted topics. */
    Set<Topic> wanted() {
        lock.lock();
        try {
            return new LinkedHashSet<>(wanted.keySet());
        } finally {
            lock.unlock();
        }
    }

    /** The topics of {@code some} that are wanted. A copy. */
    Set<Topic> wantedOf(Set<Topic> some) {
        lock.lock();
        try {
            Set<Topic> found = new LinkedHashSet<>(some);
            found.retainAll(wanted.keySet());
            return found;
        } finally {
            lock.unlock();
        }
    }

    /** Number of changes so far. Takes no lock. */
    long version() {
        return version;
    }

    // Called by the thread of the connection.

    /** Returns all wanted topics, for a new connection. */
    Wanted all() {
        lock.lock();
        try {
            forgetChanges();
            unserved.clear();
            Map<Topic, Boolean> all = new LinkedHashMap<>();
            wanted.keySet().forEach(topic -> all.put(topic, true));
            return new Wanted(version, all);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the topics that were changed since the last call of this method or of {@link #all}. The result may contain
     * unchanged topics.
     *
     * @param subscribed the topics that the server knows
     */
    Wanted changes(Set<Topic> subscribed) {
        lock.lock();
        try {
            if (allChanged) {
                changed.clear();
                changed.addAll(subscribed);
                changed.addAll(wanted.keySet());
            }
            Map<Topic, Boolean> changes = new LinkedHashMap<>();
            changed.forEach(topic -> changes.put(topic, wanted.containsKey(topic)));
            forgetChanges();
            return new Wanted(version, changes);
        } finally {
            lock.unlock();
        }
    }

    /** The caller holds the lock. */
    private void forgetChanges() {
        changed.clear();
        allChanged = false;
    }

    /** The server has confirmed the subscription to {@code topic}. */
    void proven(Topic topic) {
        lock.lock();
        try {
            wanted.replace(topic, true);
        } finally {
            lock.unlock();
        }
    }

    /** The server does not serve {@code topic} at present. Returns whether the topic is wanted and no other was unserved. */
    boolean unserved(Topic topic) {
        lock.lock();
        try {
            return wanted.containsKey(topic) && unserved.add(topic) && unserved.size() == 1;
        } finally {
            lock.unlock();
        }
    }

    /** The server follows the wanted topics up to {@code confirmed}, a version. */
    void confirmed(long confirmed) {
        lock.lock();
        try {
            waiting.removeIf(change -> change.version <= confirmed
                    && (!change.subscribes || Collections.disjoint(change.topics, unserved))
                    && change.done.complete(null));
        } finally {
            lock.unlock();
        }
    }

    /**
     * The server refused to add or to remove {@code topic}. Restores the topic as before, and ends the calls that wait
     * for it.
     *
     * @return false if the topic is proven and the server refused to add it again; nothing is changed then
     */
    boolean refused(Topic topic, boolean subscribes, Reply.ErrorReply error) {
        String command = (subscribes ? "subscribing to " : "unsubscribing from ") + topic;
        boolean awaited;
        lock.lock();
        try {
            if (!subscribes) {
                wanted.put(topic, true);
            } else if (Boolean.TRUE.equals(wanted.get(topic))) {
                return false;
            } else {
                wanted.remove(topic);
            }
            ErrorReplyException failure = new ErrorReplyException(command, error, false);
            awaited = waiting.removeIf(change -> change.subscribes == subscribes
                    && change.topics.contains(topic)
                    && change.done.completeExceptionally(failure));
        } finally {
            lock.unlock();
        }
        if (!awaited) {
            ClientLog.logger()
                    .log(Level.WARNING, command + " is refused: " + error.message() + ". The subscription continues.");
        }
        return true;
    }

    /** The connection has ended, and other connections have its topics. Ends the calls that wait. */
    void release() {
        lock.lock();
        try {
            waiting.forEach(change -> change.done.complete(null));
            waiting.clear();
        } finally {
            lock.unlock();
        }
    }

    /** The subscription has ended: no change is confirmed any more. */
    void end(String cause) {
        lock.lock();
        try {
            endCause = cause;
            waiting.forEach(change -> change.done.completeExceptionally(ended(cause, true)));
            waiting.clear();
        } finally {
            lock.unlock();
        }
    }

    static ConnectionLostException ended(String cause, boolean maybeExecuted) {
        return new ConnectionLostException("the subscription has ended: " + cause, maybeExecuted);
    }
}
