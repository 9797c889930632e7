// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import io.netty.channel.epoll.Epoll;

/** What the libraries on Netty read and write sockets with: all of them the native transport where there is one. */
final class NativeTransport {

    static boolean isThere() {
        return Epoll.isAvailable();
    }

    /** For notes. */
    static String word() {
        return isThere() ? "native epoll" : "NIO";
    }

    private NativeTransport() {}
}
