// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.network.Door.Loss;
import io.millrace.testkit.NoThreadLeft;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;

@ExtendWith(NoThreadLeft.class)
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DoorTest {

    private static final EmbeddedRedis SERVER = EmbeddedRedis.start();
    private static final int SOON_MILLIS = 200;
    private static final int LONG_MILLIS = 20_000;

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    private static Jedis through(Door door) {
        return new Jedis(door.host(), door.port(), LONG_MILLIS);
    }

    @Test
    void bytesPassBothWays() {
        var large = "x".repeat(1 << 20);
        try (var door = Door.to(SERVER.host(), SERVER.port());
                var first = new Jedis(door.host(), door.port());
                var second = new Jedis(door.host(), door.port())) {
            first.set("large", large);

            assertThat(second.get("large")).isEqualTo(large);
        }
    }

    @Test
    void aServerThatIsGoneEndsConnectionsAndRefusesNewOnes() {
        try (var door = Door.to(SERVER.host(), SERVER.port());
                var jedis = through(door)) {
            jedis.ping();

            door.lose(Loss.GONE);

            assertThatThrownBy(jedis::ping).isInstanceOf(JedisConnectionException.class);
            assertThatThrownBy(() -> new Socket(door.host(), door.port()).close())
                    .isInstanceOf(ConnectException.class);
        }
    }

    @Test
    void aServerThatIsSilentAnswersNobodyAndTakesConnections() throws Exception {
        try (var door = Door.to(SERVER.host(), SERVER.port());
                var jedis = through(door)) {
            jedis.ping();

            door.lose(Loss.SILENT);
            jedis.getConnection().setSoTimeout(SOON_MILLIS);

            assertThatThrownBy(jedis::ping).hasRootCauseInstanceOf(SocketTimeoutException.class);
            try (var late = new Socket(door.host(), door.port())) {
                assertThat(late.isConnected()).isTrue();
            }
        }
    }

    @Test
    void whoComesWhenTheServerTakesNobodyIsToldByTheEnd() throws Exception {
        int nobodys;
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobodys = free.getLocalPort();
        }

        try (var door = Door.to("127.0.0.1", nobodys)) {
            for (int i = 0; i < 20; i++) { // and the next as well
                try (var client = new Socket(door.host(), door.port())) {
                    client.setSoTimeout(LONG_MILLIS);

                    assertThat(client.getInputStream().read()).isEqualTo(-1);
                }
            }
        }
    }

    @Test
    void theServerItselfGoesOn() {
        try (var door = Door.to(SERVER.host(), SERVER.port())) {
            door.lose(Loss.GONE);
        }

        try (var jedis = new Jedis(SERVER.host(), SERVER.port())) {
            assertThat(jedis.ping()).isEqualTo("PONG");
        }
    }
}
