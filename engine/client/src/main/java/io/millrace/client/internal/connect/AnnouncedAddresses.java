// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.AddressMap;
import io.millrace.client.RedisUri;
import org.jspecify.annotations.Nullable;

/**
 * Reads the addresses that the nodes of a cluster and Sentinels announce: the only place where the {@link AddressMap} of the
 * client applies.
 *
 * @param map replaces the addresses that the client cannot reach
 */
public record AnnouncedAddresses(AddressMap map) {

    /** The host of a node that does not know its own address. */
    private static final String UNKNOWN_HOST = "?";

    /** Returns the address at which the client reaches the server; null if the server has announced no usable address. */
    public RedisUri.@Nullable Tcp read(String host, long port) {
        boolean usable = !host.isBlank()
                && !host.equals(UNKNOWN_HOST)
                && port >= RedisUri.PORT.min()
                && port <= RedisUri.PORT.max();
        return usable ? map.reachable(new RedisUri.Tcp(host, (int) port)) : null;
    }

    /**
     * Like {@link #read(String, long)}, for an answer of a node of a cluster.
     *
     * @param host an empty host means that of {@code asked}
     * @param asked address of the node that has answered
     */
    public RedisUri.@Nullable Tcp read(String host, long port, RedisUri.Tcp asked) {
        return read(host.isBlank() ? asked.host() : host, port);
    }
}
