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

    /** Makes an adapter and opens the connections. Closes the adapter if this fails. */
    public ClientAdapter open(Target target) throws Exception {
        var client = adapter.get();
        try {
            client.open(target);
            return client;
        } catch (Throwable failure) {
            try (client) {
                throw failure;
            }
        }
    }

    /** The target with one connection for each caller if the mode needs so many; otherwise {@code target}. */
    public Target sizedFor(Target target, int callers) {
        return capabilities.contains(Capability.POOL) ? target.withConnections(callers) : target;
    }

    /** What an adapter supports. */
    public enum Capability {
        /** {@link ClientAdapter#call} by several threads at the same time. */
        CALL,
        /**
         * {@link ClientAdapter#call} with the repetitions that the library makes by default. Only experiments with lost
         * connections use this mode. Other experiments compare counts, which repetitions change.
         */
        REPEATED_CALL,
        /** {@link ClientAdapter#send}. */
        SEND,
        /** The server executes the commands of {@link ClientAdapter#send} by one thread in the order of the calls. */
        ORDERED_SEND,
        /** {@link ClientAdapter#batch}. */
        BATCH,
        /**
         * {@link ClientAdapter#batch}, in which the adapter replaces adjacent commands by one, such as {@code MSET}, as a
         * program can do by hand. To compare with clients that fuse commands.
         */
        BATCH_BY_HAND,
        /** {@link BorrowingClient#borrow}. */
        BORROW,
        /**
         * The connections are a pool: a command of {@link ClientAdapter#call} has a connection for itself until the reply
         * arrives, so that each caller needs one. Modes without this capability share few connections among all callers.
         */
        POOL,
        /** TLS, see {@link Target#certificate}. */
        TLS,
        /** Unix sockets, see {@link Target#socket}. */
        UNIX_SOCKET,
        /** Redis Cluster, see {@link Target#cluster}. */
        CLUSTER,
        /** Sentinels, see {@link Target#sentinels}. */
        SENTINEL
    }
}
