// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * The commands that were fused into one command and that a node has refused, because the node has only some of the keys. Tells
 * which of them must not be sent again, because the node has executed a later command with the same key.
 *
 * <p>The commands of a slot that are on connections are on one connection, and a refused command waits in a fence until
 * these commands have left. One thread at a time receives their replies, in their order: so a reply that arrives after the refusal belongs to a
 * later command.
 *
 * <p>Any thread; {@link #lock} guards all fields. No other lock is acquired under it.
 *
 * @param <C> identifies a command
 */
final class RefusedMembers<C> {

    private final ReentrantLock lock = new ReentrantLock();

    private final Function<C, List<ByteBuffer>> keys;

    /** When each command was refused. The unit of time is one reply. */
    private final Map<C, Long> refused = new HashMap<>();

    /** For each key of the refused commands, when a command with this key was executed for the last time; 0 for never. */
    private final Map<ByteBuffer, Long> executed = new HashMap<>();

    private long time;

    /** Whether any command is refused. Written under the lock. */
    private volatile boolean any;

    RefusedMembers(Function<C, List<ByteBuffer>> keys) {
        this.keys = keys;
    }

    /** Whether any command is refused. */
    boolean any() {
        return any;
    }

    /** Reader: the node has refused {@code command}. */
    void add(C command) {
        lock.lock();
        try {
            refused.put(command, ++time);
            keys.apply(command).forEach(key -> executed.putIfAbsent(key, 0L));
            any = true;
        } finally {
            lock.unlock();
        }
    }

    /** The node may have executed {@code command}. */
    void executed(C command) {
        if (!any) {
            return;
        }
        lock.lock();
        try {
            if (any) {
                time++;
                keys.apply(command).forEach(key -> executed.computeIfPresent(key, (same, before) -> time));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Removes {@code command}. Returns whether a later command with one of its keys may have been executed. */
    boolean removeOvertaken(C command) {
        if (!any) {
            return false;
        }
        lock.lock();
        try {
            Long since = refused.remove(command);
            boolean overtaken = since != null
                    && keys.apply(command).stream().anyMatch(key -> executed.getOrDefault(key, 0L) > since);
            if (refused.isEmpty()) {
                any = false;
                executed.clear();
            }
            return overtaken;
        } finally {
            lock.unlock();
        }
    }
}
