// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import java.util.ArrayDeque;
import java.util.Deque;

/** One direction of a connection: what is read from one side and written to the other. */
final class Lane {

    final Link link;
    final Side from;
    final Side to;
    final Account account;

    // Owned by the delivering thread.

    /** What is due and not written yet, its first element without its first {@link #written} bytes. */
    final Deque<Cargo> backlog = new ArrayDeque<>();

    int written;

    /** The destination took no more, and has not said yet that it does again. */
    boolean blocked;

    /** Nothing will be written any more. */
    boolean ended;

    Lane(Link link, Side from, Side to, Account account) {
        this.link = link;
        this.from = from;
        this.to = to;
        this.account = account;
    }
}
