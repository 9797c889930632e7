// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * The proxy's end of a socket: to the client, or to the target. The reading thread opens it, closes it, reads, and
 * alone knows its key; the delivering thread writes to the channel.
 */
final class Side {

    final Link link;
    final SocketChannel channel;
    private final SelectionKey key;

    /** Ready for no event yet; the caller closes the channel if this fails. */
    Side(Link link, SocketChannel channel, Selector selector) throws IOException {
        this.link = link;
        this.channel = channel;
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        this.key = channel.register(selector, 0, this);
    }

    void want(int operation) {
        if (key.isValid()) {
            key.interestOpsOr(operation);
        }
    }

    void leave(int operations) {
        if (key.isValid()) {
            key.interestOpsAnd(~operations);
        }
    }

    void close() throws IOException {
        channel.close();
    }

    /** Closes it so that the other end gets a reset instead of an end. */
    void reset() throws IOException {
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (ClosedChannelException e) {
            return;
        } finally {
            channel.close();
        }
    }
}
