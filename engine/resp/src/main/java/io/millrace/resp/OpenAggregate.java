// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** An array, set, map, push or attribute some of whose elements are still to come. */
final class OpenAggregate {

    /** A declared count reserves at most this much; the rest grows with what arrives. */
    private static final int FIRST_ROOM = 16;

    final byte type;
    final ArrayList<Reply> items;
    int missing;

    OpenAggregate(byte type, int count) {
        this.type = type;
        this.missing = count;
        this.items = new ArrayList<>(Math.min(count, FIRST_ROOM));
    }

    Reply close() {
        return of(type, Collections.unmodifiableList(items));
    }

    static Reply empty(byte type) {
        return of(type, List.of());
    }

    private static Reply of(byte type, List<Reply> items) {
        return switch (type) {
            case '*' -> new Reply.ArrayReply(items);
            case '~' -> new Reply.SetReply(items);
            case '%' -> new Reply.MapReply(items);
            case '>' -> new Reply.Push(items);
            default -> throw new AssertionError("not an aggregate: " + type);
        };
    }
}
