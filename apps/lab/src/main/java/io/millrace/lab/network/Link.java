// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** A connection through the proxy: two sides, and a lane in each direction. */
final class Link {

    /** The thread that opened it, reads it, and will close it. */
    final Arrivals reader;

    final Side client;
    final Side target;
    final Lane up;
    final Lane down;

    Link(SocketChannel client, SocketChannel target, Selector selector, Arrivals reader) throws IOException {
        this.reader = reader;
        this.client = new Side(this, client, selector);
        this.target = new Side(this, target, selector);
        this.up = new Lane(this, this.client, this.target, new Account(() -> reader.readAgain(this.client)));
        this.down = new Lane(this, this.target, this.client, new Account(() -> reader.readAgain(this.target)));
    }

    /** The lane that {@code side} is read into. */
    Lane outOf(Side side) {
        return side == client ? up : down;
    }

    /** The lane that is written to {@code side}. */
    Lane into(Side side) {
        return side == client ? down : up;
    }

    Lane reverse(Lane lane) {
        return lane == up ? down : up;
    }
}
