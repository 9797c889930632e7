// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import java.time.Duration;

/**
 * Sends commands of a load that write no row, such as {@code INFO}.
 *
 * <p>While a server refuses all commands, or while the connection is lost, the client keeps a command until the time limit
 * of the command. The time limits of the client and of the rows may be much longer than the patience of the load. So a
 * command has the patience as its limit.
 *
 * @param limit longest wait for a reply
 */
record ControlCalls(RedisClient client, Duration limit) {

    /** The longest wait of a load without patience. A server that works replies within this time. */
    private static final Duration SHORTEST = Duration.ofSeconds(2);

    /** The commands of a load with {@code options}. */
    static ControlCalls of(RedisClient client, LoadOptions options) {
        Duration patience = options.patience().compareTo(SHORTEST) > 0 ? options.patience() : SHORTEST;
        return new ControlCalls(client, patience.compareTo(options.timeout()) < 0 ? patience : options.timeout());
    }

    /**
     * Blocks until the reply arrives.
     *
     * @throws io.millrace.client.exception.RedisException as {@link RedisClient#call(Command)}
     */
    <T> T call(Command<T> command) {
        return client.call(command.within(limit));
    }
}
