// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.List;
import java.util.Objects;

/** Which copies of values on the server must not be used any more. */
public sealed interface Invalidation {

    /**
     * Some keys were written, removed, or expired.
     *
     * @param keys each once, in no order; bytes that are not UTF-8 come as the replacement character
     */
    record Keys(List<String> keys) implements Invalidation {

        public Keys {
            keys = List.copyOf(keys);
        }

        /** Only how many: keys may say more than a log should. */
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

    /** Why it is not known which keys have changed. */
    enum Cause {
        /** The server was emptied, or one of its databases. */
        FLUSHED,
        /** The connection was lost: until it is there again nothing will be told. */
        LOST,
        /** The connection was replaced: what changed meanwhile was not told. */
        ESTABLISHED,
        /** More keys changed than there is room for until they are taken. */
        OVERFLOWED
    }
}
