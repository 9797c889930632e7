// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.List;
import java.util.Objects;

/** A report that keys have changed. Cached values of these keys are out of date. */
public sealed interface Invalidation {

    /**
     * Some keys were written, removed, or expired.
     *
     * @param keys the changed keys without duplicates, in no particular order; bytes that are not UTF-8 are decoded as
     *     the replacement character
     */
    record ChangedKeys(List<String> keys) implements Invalidation {

        public ChangedKeys {
            keys = List.copyOf(keys);
        }

        /** Shows only the number of keys, because keys may be confidential. */
        @Override
        public String toString() {
            return "Keys[" + keys.size() + " keys]";
        }
    }

    /** Any key may have changed. */
    record Everything(Cause cause) implements Invalidation {

        public Everything {
            Objects.requireNonNull(cause, "cause");
        }
    }

    /** The reason why the client does not know which keys have changed. */
    enum Cause {
        /** The server, or one of its databases, was flushed. */
        FLUSHED,
        /** The connection was lost. No invalidations arrive until the connection is replaced. */
        CONNECTION_LOST,
        /** The connection was replaced. Changes during the gap were not reported. */
        RECONNECTED,
        /** The buffer could not hold all changed keys. */
        OVERFLOWED
    }
}
