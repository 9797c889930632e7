// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.internal.shared.CallerSubmission;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The calls that were fused into one command and that a node has refused, because it has only some of the keys. Tells which of
 * them must not be sent again, because the node has executed a later call with the same key.
 *
 * <p>The calls of a slot that are on connections are on one connection, and a refused call waits in a fence until they have left.
 * One thread at a time receives their replies, in their order: so a reply that arrives after the refusal belongs to a later call.
 *
 * <p>Any thread; {@link #lock} guards all fields. No other lock is acquired under it.
 */
final class RefusedMembers {

    private final ReentrantLock lock = new ReentrantLock();

    /** When each call was refused. The unit of time is one reply. */
    private final IdentityHashMap<CallerSubmission, Long> refused = new IdentityHashMap<>();

    /** For each key of the refused calls, when a call with this key was executed for the last time; 0 for never. */
    private final Map<ByteBuffer, Long> executed = new HashMap<>();

    private long time;

    /** Whether any call is refused. Written under the lock. */
    private volatile boolean any;

    /** Reader: the node has refused {@code call}. */
    void add(CallerSubmission call) {
        lock.lock();
        try {
            refused.put(call, ++time);
            call.keys().forEach(key -> executed.putIfAbsent(key, 0L));
            any = true;
        } finally {
            lock.unlock();
        }
    }

    /** The node may have executed {@code call}. */
    void executed(CallerSubmission call) {
        if (!any) {
            return;
        }
        lock.lock();
        try {
            if (any) {
                time++;
                call.keys().forEach(key -> executed.computeIfPresent(key, (same, before) -> time));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Removes {@code call}. Returns whether a later call with one of its keys may have been executed. */
    boolean removeOvertaken(CallerSubmission call) {
        if (!any) {
            return false;
        }
        lock.lock();
        try {
            Long since = refused.remove(call);
            boolean overtaken =
                    since != null && call.keys().stream().anyMatch(key -> executed.getOrDefault(key, 0L) > since);
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
