// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.lettuce.core.resource.EpollProvider;

/**
 * What Lettuce reads and writes sockets with here. It takes the native transport where there is one for the machine.
 */
final class LettuceTransport {

    /** For notes. */
    static String word() {
        return EpollProvider.isAvailable() ? "native epoll" : "NIO";
    }

    private LettuceTransport() {}
}
