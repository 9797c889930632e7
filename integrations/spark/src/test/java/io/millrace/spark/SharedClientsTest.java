// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
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
        try (SharedClients.Loan first = clients.borrow(server(), ConnectPatience.none());
                SharedClients.Loan second = clients.borrow(server("key", "row:{id}"), ConnectPatience.none());
                SharedClients.Loan other = clients.borrow(server("timeout", "5s"), ConnectPatience.none())) {

            assertThat(first.client()).isSameAs(second.client()).isNotSameAs(other.client());
            assertThat(clients.size()).isEqualTo(2);
        }
    }

    @Test
    void clientIsClosedSomeTimeAfterItsLastTask() {
        SharedClients clients = clients(Duration.ofMillis(1));
        RedisClient client;
        try (SharedClients.Loan loan = clients.borrow(server(), ConnectPatience.none())) {
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
        clients.borrow(server(), ConnectPatience.none()).close();

        try (SharedClients.Loan again = clients.borrow(server(), ConnectPatience.none())) {
            assertThat(again.client().isClosed()).isFalse();
            assertThat(clients.size()).isEqualTo(1);
        }
    }

    /** A set of clients whose first {@code failures} attempts to connect fail with {@code reason}. */
    private static SharedClients failing(int failures, ConnectException.Reason reason, AtomicInteger attempts) {
        return new SharedClients(
                server -> {
                    if (attempts.incrementAndGet() <= failures) {
                        throw new ConnectException(reason, "the server is away");
                    }
                    return RedisClient.connect(server.clientOptions());
                },
                Duration.ZERO);
    }

    @Test
    void patientBorrowerWaitsForItsServer() {
        AtomicInteger attempts = new AtomicInteger();
        SharedClients clients = failing(2, ConnectException.Reason.UNREACHABLE, attempts);

        try (SharedClients.Loan loan =
                clients.borrow(server(), new ConnectPatience(Duration.ofMinutes(1), () -> false))) {
            assertThat(loan.client().isClosed()).isFalse();
            assertThat(attempts).hasValue(3);
        }
    }

    @Test
    void patienceEndsWithItsTimeOrItsTask() {
        SharedClients clients = failing(100, ConnectException.Reason.UNREACHABLE, new AtomicInteger());

        assertThatThrownBy(() -> clients.borrow(server(), new ConnectPatience(Duration.ofMillis(1), () -> false)))
                .hasMessage("the server is away");
        assertThatThrownBy(() -> clients.borrow(server(), new ConnectPatience(Duration.ofHours(1), () -> true)))
                .hasMessage("the server is away");
    }

    @Test
    void wrongPasswordIsNotTriedAgain() {
        AtomicInteger attempts = new AtomicInteger();
        SharedClients clients = failing(1, ConnectException.Reason.AUTHENTICATION, attempts);

        assertThatThrownBy(() -> clients.borrow(server(), new ConnectPatience(Duration.ofHours(1), () -> false)))
                .isInstanceOf(ConnectException.class);
        assertThat(attempts).hasValue(1);
    }

    /** Clients whose attempts to connect wait for {@code end}, and then fail. */
    private static SharedClients failingAfter(CountDownLatch end, AtomicInteger attempts) {
        return new SharedClients(
                server -> {
                    attempts.incrementAndGet();
                    await(end);
                    throw new ConnectException(ConnectException.Reason.UNREACHABLE, "the server is away");
                },
                Duration.ZERO);
    }

    private static void await(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedCommandException("the task was interrupted", false);
        }
    }

    /** Starts a thread that borrows a client, and waits until the thread waits. */
    private static Thread waitingBorrower(SharedClients clients, BooleanSupplier killed, List<Throwable> failures) {
        ServerChoice server = server();
        Thread borrower = Thread.ofPlatform().daemon().start(() -> {
            try (SharedClients.Loan loan = clients.borrow(server, new ConnectPatience(Duration.ofNanos(1), killed))) {
                failures.add(new AssertionError("lent; closed: " + loan.client().isClosed()));
            } catch (RedisException failed) {
                failures.add(failed);
            }
        });
        while (borrower.isAlive()
                && borrower.getState() != Thread.State.WAITING
                && borrower.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        return borrower;
    }

    @Test
    void tasksThatWaitShareTheFailureOfTheNextAttempt() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger attempts = new AtomicInteger();
        SharedClients clients = failingAfter(end, attempts);
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        List<Thread> borrowers = Stream.generate(() -> waitingBorrower(clients, () -> false, failures))
                .limit(5)
                .toList();

        end.countDown();

        for (Thread borrower : borrowers) {
            borrower.join();
        }
        assertThat(failures)
                .hasSize(5)
                .allSatisfy(failure -> assertThat(failure).hasMessage("the server is away"));
        assertThat(attempts)
                .as("the first attempt began before the other tasks waited")
                .hasValue(2);
    }

    /** The server is back since an attempt of another task has begun. */
    @Test
    void impatientTaskMakesItsOwnAttemptAfterAnEarlierOne() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger attempts = new AtomicInteger();
        SharedClients clients = new SharedClients(
                server -> {
                    if (attempts.incrementAndGet() == 1) {
                        await(end);
                        throw new ConnectException(ConnectException.Reason.UNREACHABLE, "the server is away");
                    }
                    return RedisClient.connect(server.clientOptions());
                },
                Duration.ZERO);
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        Thread connecting = waitingBorrower(clients, () -> false, failures);
        Thread waiting = waitingBorrower(clients, () -> false, failures);

        end.countDown();

        connecting.join();
        waiting.join();
        assertThat(failures).hasSize(2);
        assertThat(failures).anySatisfy(failure -> assertThat(failure).hasMessage("the server is away"));
        assertThat(failures).anySatisfy(failure -> assertThat(failure).hasMessage("lent; closed: false"));
    }

    /** Some waits of an attempt to connect report an interrupt as a failure of the login. */
    @Test
    void failureOfAKilledTaskIsNotShared() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger attempts = new AtomicInteger();
        AtomicReference<Thread> toBeKilled = new AtomicReference<>();
        AtomicBoolean killed = new AtomicBoolean();
        SharedClients clients = new SharedClients(
                server -> {
                    if (attempts.incrementAndGet() == 1) {
                        await(end);
                        throw new ConnectException(ConnectException.Reason.UNREACHABLE, "the server is away");
                    }
                    if (Thread.currentThread().equals(toBeKilled.get())) {
                        killed.set(true);
                        throw new ConnectException(ConnectException.Reason.AUTHENTICATION, "no login");
                    }
                    return RedisClient.connect(server.clientOptions());
                },
                Duration.ZERO);
        Thread connecting = waitingBorrower(clients, () -> false, new CopyOnWriteArrayList<>());
        toBeKilled.set(waitingBorrower(clients, killed::get, new CopyOnWriteArrayList<>()));
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        Thread waiting = waitingBorrower(clients, () -> false, failures);

        end.countDown();

        connecting.join();
        waiting.join();
        toBeKilled.get().join();
        assertThat(failures).singleElement(InstanceOfAssertFactories.THROWABLE).hasMessage("lent; closed: false");
    }

    @Test
    void killedTaskDoesNotWaitForTheAttemptOfAnotherTask() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        SharedClients clients = failingAfter(end, new AtomicInteger());
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        Thread connecting = waitingBorrower(clients, () -> false, failures);
        AtomicBoolean killed = new AtomicBoolean();
        Thread waiting = waitingBorrower(clients, killed::get, failures);

        killed.set(true);

        waiting.join();
        assertThat(failures).singleElement().isInstanceOf(InterruptedCommandException.class);
        end.countDown();
        connecting.join();
    }

    @Test
    void interruptOfATaskDoesNotEndTheOtherTasks() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger attempts = new AtomicInteger();
        SharedClients clients = failingAfter(end, attempts);
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        Thread connecting = waitingBorrower(clients, () -> false, failures);
        Thread waiting = waitingBorrower(clients, () -> false, failures);

        connecting.interrupt();

        connecting.join();
        end.countDown();
        waiting.join();
        assertThat(failures).hasSize(2);
        assertThat(failures.getFirst()).isInstanceOf(InterruptedCommandException.class);
        assertThat(failures.getLast()).hasMessage("the server is away");
        assertThat(attempts).hasValue(2);
    }

    @Test
    void messageHasTheTimeOfTheWait() {
        SharedClients clients = failing(100, ConnectException.Reason.UNREACHABLE, new AtomicInteger());

        assertThatThrownBy(() -> clients.borrow(server(), new ConnectPatience(Duration.ofSeconds(1), () -> false)))
                .hasMessageMatching("no connection for [1-9][0-9]* s: the server is away");
    }

    @Test
    void serverThatCannotBeReachedIsTriedAgain() {
        SharedClients clients = clients(Duration.ZERO);
        ServerChoice nobody = ServerChoice.of(WriteOptions.of(Map.of("uri", "redis://127.0.0.1:1")), name -> null);

        assertThatThrownBy(() -> clients.borrow(nobody, ConnectPatience.none())).isInstanceOf(RedisException.class);
        assertThatThrownBy(() -> clients.borrow(nobody, ConnectPatience.none())).isInstanceOf(RedisException.class);
    }
}
