// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.ClientOptions;
import io.millrace.client.ConnectionAccount;
import io.millrace.client.ConnectionLostException;
import io.millrace.client.Fusion;
import io.millrace.client.RedisUri;
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
    void aPoolThatIsClosedTheInstantAConnectionIsOpenDoesNotLendIt() {
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+PONG\r\n")));
                Engine engine =
                        new Engine(ClientOptions.of(RedisUri.of(server.host(), server.port())), Surroundings.SYSTEM)) {
            AtomicReference<Pool> pool = new AtomicReference<>();
            AtomicReference<SharedConnection> opened = new AtomicReference<>();
            pool.set(new Pool(engine, 1, nanos -> new Pool.Opening() {
                @Override
                public SharedConnection open() {
                    opened.set(new SharedConnection(
                            engine,
                            "test",
                            ConnectionAccount.Kind.DEDICATED,
                            new Connector(engine.options(), true, nanos, Fusion.NONE)));
                    pool.get().close();
                    return opened.get();
                }

                @Override
                public void cancel() {}
            }));

            assertThatThrownBy(() -> pool.get().borrow(engine.now() + LIMIT))
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("the client is closed");

            assertThat(opened.get().isOpen()).isFalse();
        }
    }
}
