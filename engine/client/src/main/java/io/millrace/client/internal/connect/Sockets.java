// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.SocketOptions;
import io.millrace.client.internal.log.ClientLog;
import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.Socket;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Set;
import jdk.net.ExtendedSocketOptions;

/** Configures and closes sockets. */
final class Sockets {

    private Sockets() {}

    /** {@link SocketChannel#setOption} or {@link Socket#setOption}. */
    private interface Setter {
        <T> Object set(SocketOption<T> option, T value) throws IOException;
    }

    /** Sets the options of a TCP channel. Must be called before the connect, so that the buffers have an effect. */
    static void configure(SocketChannel channel, SocketOptions options) throws IOException {
        configure(channel.supportedOptions(), channel::setOption, options);
    }

    /** Sets the options of a TCP socket. Must be called before the connect, so that the buffers have an effect. */
    static void configure(Socket socket, SocketOptions options) throws IOException {
        configure(socket.supportedOptions(), socket::setOption, options);
    }

    private static void configure(Set<SocketOption<?>> supported, Setter socket, SocketOptions options)
            throws IOException {
        socket.set(StandardSocketOptions.TCP_NODELAY, true);
        socket.set(StandardSocketOptions.SO_KEEPALIVE, true);
        if (supported.contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
            socket.set(ExtendedSocketOptions.TCP_KEEPIDLE, seconds(options.keepAliveIdle()));
            socket.set(ExtendedSocketOptions.TCP_KEEPINTERVAL, seconds(options.keepAliveInterval()));
            socket.set(ExtendedSocketOptions.TCP_KEEPCOUNT, options.keepAliveCount());
        }
        if (options.sendBufferBytes() > 0) {
            socket.set(StandardSocketOptions.SO_SNDBUF, options.sendBufferBytes());
        }
        if (options.receiveBufferBytes() > 0) {
            socket.set(StandardSocketOptions.SO_RCVBUF, options.receiveBufferBytes());
        }
    }

    private static int seconds(Duration duration) {
        return Math.toIntExact(duration.plusNanos(999_999_999).toSeconds());
    }

    /** Closes {@code socket}. A failure has no consequences and is only logged. */
    static void closeQuietly(Closeable socket) {
        try {
            socket.close();
        } catch (IOException e) {
            ClientLog.logger().log(Level.DEBUG, "closing a socket failed", e);
        }
    }
}
