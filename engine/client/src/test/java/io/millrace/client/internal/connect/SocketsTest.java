// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.client.SocketOptions;
import java.io.IOException;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Test;

class SocketsTest {

    private static final SocketOptions OPTIONS =
            SocketOptions.DEFAULT.withKeepAlive(Duration.ofMillis(41_001), Duration.ofSeconds(7), 5);

    @Test
    void optionsOfAChannelAreSet() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            assumeTrue(channel.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE));

            Sockets.configure(channel, OPTIONS);

            assertThat(channel.getOption(StandardSocketOptions.TCP_NODELAY)).isTrue();
            assertThat(channel.getOption(StandardSocketOptions.SO_KEEPALIVE)).isTrue();
            assertThat(channel.getOption(ExtendedSocketOptions.TCP_KEEPIDLE)).isEqualTo(42);
            assertThat(channel.getOption(ExtendedSocketOptions.TCP_KEEPINTERVAL))
                    .isEqualTo(7);
            assertThat(channel.getOption(ExtendedSocketOptions.TCP_KEEPCOUNT)).isEqualTo(5);
        }
    }

    @Test
    void optionsOfASocketAreSet() throws IOException {
        try (Socket socket = new Socket()) {
            assumeTrue(socket.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE));

            Sockets.configure(socket, OPTIONS);

            assertThat(socket.getTcpNoDelay()).isTrue();
            assertThat(socket.getKeepAlive()).isTrue();
            assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPIDLE)).isEqualTo(42);
            assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPINTERVAL)).isEqualTo(7);
            assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPCOUNT)).isEqualTo(5);
        }
    }

    @Test
    void buffersAreSetOnlyIfTheirSizeIsGiven() throws IOException {
        try (SocketChannel unchanged = SocketChannel.open();
                SocketChannel automatic = SocketChannel.open();
                SocketChannel small = SocketChannel.open();
                SocketChannel smaller = SocketChannel.open()) {
            Sockets.configure(automatic, SocketOptions.DEFAULT);
            Sockets.configure(small, SocketOptions.DEFAULT.withBuffers(64 << 10, 32 << 10));
            Sockets.configure(smaller, SocketOptions.DEFAULT.withBuffers(32 << 10, 16 << 10));

            // The operating system may add its own needs to the size.
            assertThat(automatic.getOption(StandardSocketOptions.SO_SNDBUF))
                    .isEqualTo(unchanged.getOption(StandardSocketOptions.SO_SNDBUF));
            assertThat(automatic.getOption(StandardSocketOptions.SO_RCVBUF))
                    .isEqualTo(unchanged.getOption(StandardSocketOptions.SO_RCVBUF));
            assertThat(small.getOption(StandardSocketOptions.SO_SNDBUF))
                    .isGreaterThan(smaller.getOption(StandardSocketOptions.SO_SNDBUF))
                    .isGreaterThanOrEqualTo(64 << 10);
            assertThat(small.getOption(StandardSocketOptions.SO_RCVBUF))
                    .isGreaterThan(smaller.getOption(StandardSocketOptions.SO_RCVBUF))
                    .isGreaterThanOrEqualTo(32 << 10);
        }
    }
}
