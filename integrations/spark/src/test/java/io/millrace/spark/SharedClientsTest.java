// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.exception.RedisException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class SharedClientsTest {

    private static ServerChoice server(String... options) {
        Map<String, String> all = options.length == 0
                ? Map.of("uri", TestRedis.uri())
                : Map.of("uri", TestRedis.uri(), options[0], options[1]);
        return ServerChoice.of(WriteOptions.of(all), name -> null);
    }

    private static SharedClients clients(Duration idle) {
        return new SharedClients(server -> RedisClient.connect(server.clientOptions()), idle);
    }

    @Test
    void tasksWithEqualOptionsShareAClient() {
        SharedClients clients = clients(Duration.ZERO);
        try (SharedClients.Loan first = clients.borrow(server());
                SharedClients.Loan second = clients.borrow(server("key", "row:{id}"));
                SharedClients.Loan other = clients.borrow(server("timeout", "5s"))) {

            assertThat(first.client()).isSameAs(second.client()).isNotSameAs(other.client());
            assertThat(clients.size()).isEqualTo(2);
        }
    }

    @Test
    void clientIsClosedSomeTimeAfterItsLastTask() {
        SharedClients clients = clients(Duration.ofMillis(1));
        RedisClient client;
        try (SharedClients.Loan loan = clients.borrow(server())) {
            client = loan.client();
        }

        while (!client.isClosed()) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(clients.size()).isZero();
    }

    @Test
    void clientThatIsBorrowedAgainStaysOpen() {
        SharedClients clients = clients(Duration.ofHours(1));
        clients.borrow(server()).close();

        try (SharedClients.Loan again = clients.borrow(server())) {
            assertThat(again.client().isClosed()).isFalse();
            assertThat(clients.size()).isEqualTo(1);
        }
    }

    @Test
    void serverThatCannotBeReachedIsTriedAgain() {
        SharedClients clients = clients(Duration.ZERO);
        ServerChoice nobody = ServerChoice.of(WriteOptions.of(Map.of("uri", "redis://127.0.0.1:1")), name -> null);

        assertThatThrownBy(() -> clients.borrow(nobody)).isInstanceOf(RedisException.class);
        assertThatThrownBy(() -> clients.borrow(nobody)).isInstanceOf(RedisException.class);
    }
}
