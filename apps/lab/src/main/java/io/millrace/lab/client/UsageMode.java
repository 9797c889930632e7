// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import java.util.Set;
import java.util.function.Supplier;

/**
 * One way to use a library, such as with a pool, or with one connection that all threads share.
 *
 * @param name short name that is unique within the library, such as {@code pool}
 * @param note the calls and the settings, and the page of the library's documentation that recommends them
 * @param capabilities what the adapter supports
 * @param adapter makes an adapter that is not open yet
 */
public record UsageMode(
        String name, String note, Set<Capability> capabilities, Supplier<? extends ClientAdapter> adapter) {

    public UsageMode {
        capabilities = Set.copyOf(capabilities);
    }

    /** What an adapter supports. */
    public enum Capability {
        /** {@link ClientAdapter#call} by several threads at the same time. */
        CALL,
        /** {@link ClientAdapter#send}. */
        SEND,
        /** {@link ClientAdapter#batch}. */
        BATCH,
        /** {@link BorrowingClient#borrow}. */
        BORROW,
        /** TLS, see {@link Target#certificate}. */
        TLS,
        /** Unix sockets, see {@link Target#socket}. */
        UNIX_SOCKET,
        /** Redis Cluster, see {@link Target#cluster}. */
        CLUSTER
    }
}
