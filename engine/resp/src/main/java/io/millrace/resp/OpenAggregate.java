// SPDX-License-Identifier: Apache-2.0
package io.millrace.resp;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** An incomplete array, set, map, push or attribute: some of its elements have not arrived yet. */
final class OpenAggregate {

    /**
     * Maximum initial capacity of the list of elements. If a reply declares more elements, the list still begins with
     * this capacity and grows as the elements arrive.
     */
    private static final int MAX_INITIAL_CAPACITY = 16;

    final byte type;
    final ArrayList<Reply> items;
    int remaining;

    OpenAggregate(byte type, int count) {
        this.type = type;
        this.remaining = count;
        this.items = new ArrayList<>(Math.min(count, MAX_INITIAL_CAPACITY));
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
