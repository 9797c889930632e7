// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.ClientOptions;
import io.millrace.client.ConnectionStats;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Fusion;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.internal.connect.Connector;
import io.millrace.client.internal.connect.Login;
import io.millrace.client.internal.fusion.FusibleKinds;
import io.millrace.client.internal.shared.ConnectionContext;
import io.millrace.client.internal.shared.SharedConnection;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.client.internal.time.Timekeeper;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadLeft.class)
class PoolClosingTest {

    private static final long LIMIT = Duration.ofSeconds(20).toNanos();

    @Test
    void poolClosedWhileAConnectionOpensDoesNotLendTheConnection() {
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+PONG\r\n")));
                Timekeeper timekeeper = new Timekeeper(System::nanoTime)) {
            ClientOptions options = ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                    .connectTimeout(Duration.ofSeconds(60))
                    .poolSize(1)
                    .build();
            ConnectionContext context = new ConnectionContext(
                    options,
                    new Login(options),
                    ClockAndRandom.SYSTEM,
                    timekeeper,
                    new FusibleKinds.RefusedKinds(),
                    push -> {},
                    null,
                    () -> {});
            AtomicReference<Pool> pool = new AtomicReference<>();
            AtomicReference<SharedConnection> opened = new AtomicReference<>();
            pool.set(new Pool(
                    options,
                    timekeeper,
                    nanos -> new Pool.ConnectAttempt() {
                        @Override
                        public SharedConnection open() {
                            opened.set(new SharedConnection(
                                    context,
                                    "test",
                                    ConnectionStats.Kind.DEDICATED,
                                    new Connector(
                                            options, new Login(options), System::nanoTime, true, nanos, Fusion.NONE)));
                            pool.get().close();
                            return opened.get();
                        }

                        @Override
                        public void cancel() {}
                    },
                    SharedConnection::close));

            assertThatThrownBy(() -> pool.get().borrow(context.now() + LIMIT))
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("the client is closed");

            assertThat(opened.get().isOpen()).isFalse();
        }
    }
}
