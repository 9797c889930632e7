// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadLeft.class)
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CuttableProxyTest {

    private static final int SHORT_MILLIS = 200;
    private static final int LONG_MILLIS = 60_000;

    private static Socket connect(CuttableProxy proxy) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
        socket.setSoTimeout(LONG_MILLIS);
        return socket;
    }

    private static int echo(Socket socket, int value) throws IOException {
        socket.getOutputStream().write(value);
        return socket.getInputStream().read();
    }

    @Test
    void cutResetsConnectionsAndAcceptsNewOnes() throws Exception {
        try (var server = new EchoServer();
                var proxy = CuttableProxy.start("127.0.0.1", server.port());
                var first = connect(proxy)) {
            assertThat(echo(first, 1)).isEqualTo(1);

            proxy.cut();

            assertThatThrownBy(() -> first.getInputStream().read()).isInstanceOf(SocketException.class);
            try (var second = connect(proxy)) {
                assertThat(echo(second, 2)).isEqualTo(2);
            }
        }
    }

    @Test
    void refusedConnectionsAreAcceptedOnTheSamePortAfterRestore() throws Exception {
        try (var server = new EchoServer();
                var proxy = CuttableProxy.start("127.0.0.1", server.port());
                var first = connect(proxy)) {
            assertThat(echo(first, 1)).isEqualTo(1);
            int port = proxy.port();

            proxy.refuse();

            assertThatThrownBy(() -> first.getInputStream().read()).isInstanceOf(SocketException.class);
            assertThatThrownBy(() -> connect(proxy).close()).isInstanceOf(ConnectException.class);
            proxy.restore();
            assertThat(proxy.port()).isEqualTo(port);
            try (var second = connect(proxy)) {
                assertThat(echo(second, 2)).isEqualTo(2);
            }
        }
    }

    @Test
    void silentProxyAcceptsConnectionsAndDeliversTheBytesAfterRestore() throws Exception {
        try (var server = new EchoServer();
                var proxy = CuttableProxy.start("127.0.0.1", server.port());
                var open = connect(proxy)) {
            assertThat(echo(open, 1)).isEqualTo(1);

            proxy.silence();

            open.setSoTimeout(SHORT_MILLIS);
            assertThatThrownBy(() -> echo(open, 2)).isInstanceOf(SocketTimeoutException.class);
            try (var late = connect(proxy)) {
                late.getOutputStream().write(3);
                proxy.restore();
                open.setSoTimeout(LONG_MILLIS);
                assertThat(open.getInputStream().read()).isEqualTo(2);
                assertThat(late.getInputStream().read()).isEqualTo(3);
            }
        }
    }

    @Test
    void newConnectionsGoToTheOtherServerAfterSwitch() throws Exception {
        try (var server = new EchoServer();
                var other = new EchoServer();
                var proxy = CuttableProxy.start("127.0.0.1", server.port())) {
            server.close();

            proxy.switchTo("127.0.0.1", other.port());

            try (var client = connect(proxy)) {
                assertThat(echo(client, 7)).isEqualTo(7);
            }
        }
    }

    @Test
    void closeEndsASilentConnection() throws Exception {
        try (var server = new EchoServer()) {
            var proxy = CuttableProxy.start("127.0.0.1", server.port());
            try (var client = connect(proxy)) {
                assertThat(echo(client, 1)).isEqualTo(1);
                proxy.silence();
                client.getOutputStream().write(2);

                proxy.close();

                assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
            }
        }
    }
}
