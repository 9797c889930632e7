// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import org.jspecify.annotations.Nullable;

/**
 * Keeps entries in this process. Thread-safe.
 *
 * @param <V> the type of the values
 */
interface NearCache<V> {

    /** Returns the entry of {@code key}, or null if no unexpired entry is kept. */
    @Nullable
    Entry<V> find(String key);

    /**
     * Begins a read of {@code key} from Redis. The caller ends the read with {@link #completeRead} or {@link
     * #abandonRead}.
     */
    PendingRead beginRead(String key);

    /** Keeps the entry that Redis returned, unless the key was invalidated since {@link #beginRead}. */
    void completeRead(PendingRead ticket, Entry<V> entry);

    /** Ends a read and keeps no entry. */
    void abandonRead(PendingRead ticket);

    /**
     * Drops the entry of a key that this process wrote or deleted. Reads of the key that are in progress keep no entry.
     */
    void invalidate(String key);

    /** Drops all entries. Reads that are in progress keep no entry. */
    void invalidateAll();

    /** Whether the near cache neither serves nor keeps entries, because the tracking connection is down. */
    boolean isDown();

    /** Whether this near cache never keeps an entry. */
    default boolean isDisabled() {
        return false;
    }

    void close();

    /** One read from Redis. */
    interface PendingRead {}

    /** Returns a near cache that never keeps an entry. */
    static <V> NearCache<V> none() {
        @SuppressWarnings("unchecked") // the instance never holds a value
        NearCache<V> none = (NearCache<V>) DisabledNearCache.INSTANCE;
        return none;
    }

    /** A near cache that never keeps an entry. */
    enum DisabledNearCache implements NearCache<Object>, PendingRead {
        /** The only instance. */
        INSTANCE;

        @Override
        public @Nullable Entry<Object> find(String key) {
            return null;
        }

        @Override
        public PendingRead beginRead(String key) {
            return this;
        }

        @Override
        public void completeRead(PendingRead ticket, Entry<Object> entry) {}

        @Override
        public void abandonRead(PendingRead ticket) {}

        @Override
        public void invalidate(String key) {}

        @Override
        public void invalidateAll() {}

        @Override
        public boolean isDown() {
            return false;
        }

        @Override
        public boolean isDisabled() {
            return true;
        }

        @Override
        public void close() {}
    }
}
