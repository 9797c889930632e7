// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import org.jspecify.annotations.Nullable;

/**
 * Entries that are kept in this process too. Any thread may call any method.
 *
 * @param <V> a value
 */
interface Near<V> {

    /** The entry of {@code key}, if it is here and is in its time. */
    @Nullable
    Entry<V> find(String key);

    /** Is told before Redis is asked for {@code key}; ends with {@link #keep} or {@link #abandon}. */
    Ticket begin(String key);

    /** Keeps what Redis answered, unless it was told since {@link #begin} that the key has changed. */
    void keep(Ticket ticket, Entry<V> entry);

    /** Redis had nothing that can be kept. */
    void abandon(Ticket ticket);

    /** The key was written or deleted by this process: what is kept of it, and what is being asked for, is of no use. */
    void forget(String key);

    /** Whether nothing is served or kept at present, as nobody tells what changes. */
    boolean isDown();

    void close();

    /** One question to Redis. */
    interface Ticket {}

    /** Keeps nothing. */
    static <V> Near<V> none() {
        @SuppressWarnings("unchecked") // it never holds a value
        Near<V> none = (Near<V>) None.ONLY;
        return none;
    }

    /** See {@link Near#none}. */
    enum None implements Near<Object>, Ticket {
        /** There is nothing to tell two apart. */
        ONLY;

        @Override
        public @Nullable Entry<Object> find(String key) {
            return null;
        }

        @Override
        public Ticket begin(String key) {
            return this;
        }

        @Override
        public void keep(Ticket ticket, Entry<Object> entry) {}

        @Override
        public void abandon(Ticket ticket) {}

        @Override
        public void forget(String key) {}

        @Override
        public boolean isDown() {
            return false;
        }

        @Override
        public void close() {}
    }
}
