// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Finds the addresses of a host name. Thread-safe: several threads may call the resolver at the same time. The client
 * calls the resolver at the begin of each connection attempt, but not for a Unix socket, on a platform thread of the
 * client. The resolver may block. If the attempt exceeds {@code connectTimeout}, the attempt fails, and the client
 * interrupts the thread.
 */
@FunctionalInterface
public interface AddressResolver {

    /**
     * Asks the JVM. The JVM remembers the addresses of a name for 30 seconds; the security property {@code
     * networkaddress.cache.ttl} changes this time.
     */
    AddressResolver SYSTEM = host -> List.of(InetAddress.getAllByName(host));

    /**
     * Returns the addresses of {@code host}, in the order in which the client tries them. The list must not be empty.
     *
     * @throws UnknownHostException if there is no such host
     */
    List<InetAddress> resolve(String host) throws UnknownHostException;
}
