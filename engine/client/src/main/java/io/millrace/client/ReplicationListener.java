// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * A {@link BulkListener} that also learns which server has answered each command, and how far the replication of this
 * server had come.
 *
 * <p>Redis replicates asynchronously, so a failover can take back commands that the failed server had acknowledged. If
 * the listener of a {@link BulkWriter} has this type, the writer marks its commands: over each connection, it sends {@code
 * INFO replication} before the first command, about every 100 ms while commands are submitted, and when a reply says that
 * the server is no longer the primary of a key. The server executes a mark after all earlier commands of the connection. So
 * the {@code master_repl_offset} of the reply is behind these commands. A mark is no submitted command, and {@link
 * BulkWriter#counts} does not count marks.
 *
 * <p>The methods are called as those of {@link BulkListener}: on the thread that uses the writer.
 */
public interface ReplicationListener extends BulkListener {

    /**
     * Called before the writer opens a connection to a server; in a cluster, for each primary.
     *
     * @param server address of the server, or addresses of the Sentinels
     * @return receives the outcomes of the commands on this connection. The outcome of a command of a cluster that is on no
     *     connection goes to {@link #ended}
     */
    ServerListener opened(String server);

    /** Receives the outcomes of the commands on one connection, in the order of their replies, and the marks between them. */
    interface ServerListener extends BulkListener {

        /**
         * Receives the outcome of a mark. The outcomes that were reported before this call are of commands before the mark.
         *
         * @param mark the reply to {@code INFO replication}, or an outcome of another kind
         */
        void marked(Outcome mark);

        /**
         * Called when the connection is closed, after its last outcome.
         *
         * @param lost whether the connection was lost before the writer closed it
         */
        void closed(boolean lost);
    }
}
