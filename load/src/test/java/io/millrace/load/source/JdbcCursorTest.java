// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Databases without a network connection, whose cancel requests come too early, are refused or have no effect. */
class JdbcCursorTest {

    private final AtomicReference<@Nullable JdbcCursor> cursor = new AtomicReference<>();
    private final CountDownLatch tooEarly = new CountDownLatch(1);
    private final CountDownLatch inTime = new CountDownLatch(1);
    private final CountDownLatch aborted = new CountDownLatch(1);
    private volatile boolean executes;

    @Test
    void cancelRequestThatIsTooEarlyIsRepeated() throws Exception {
        Statement statement = proxy(Statement.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "executeQuery" -> execute();
            case "cancel" -> cancel();
            default -> null;
        });
        Connection connection = proxy(
                Connection.class,
                (proxy, method, arguments) -> method.getName().equals("createStatement") ? statement : null);
        JdbcUrl url = JdbcUrl.of("jdbc:other:");
        JdbcCursor tested =
                new JdbcCursor(ReadTransaction.begin(connection, SqlDialect.OTHER, url, errors(), Optional.empty()), 1);
        cursor.set(tested);

        assertThatThrownBy(() -> tested.run("SELECT 1")).hasMessageContaining("the statement was cancelled");
        assertThat(tested.isCancelled()).isTrue();
    }

    @Test
    void requestThatIsTooEarlyForAFetchOfABorrowedConnectionIsRepeated() throws Exception {
        ResultSet rows = proxy(
                ResultSet.class, (proxy, method, arguments) -> method.getName().equals("next") ? execute() : null);
        Statement statement = proxy(Statement.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "executeQuery" -> rows;
            case "cancel" -> cancel();
            default -> null;
        });
        Connection connection = proxy(Connection.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "createStatement" -> statement;
            case "getAutoCommit", "isReadOnly" -> false;
            case "abort" -> run(aborted::countDown);
            default -> null;
        });
        JdbcCursor tested = new JdbcCursor(
                ReadTransaction.beginBorrowed(
                        connection, SqlDialect.OTHER, JdbcUrl.of("jdbc:other:"), errors(), Optional.empty()),
                1,
                Duration.ofMinutes(2));
        cursor.set(tested);
        tested.run("SELECT 1");

        assertThatThrownBy(tested::next).hasMessageContaining("the statement was cancelled");
        tested.close();
        assertThat(aborted.getCount()).isEqualTo(1);
    }

    /** The request of many drivers needs another connection, which the database or the pool refuses. */
    @Test
    void refusedCancelRequestAbortsTheConnectionBeforeTheRestIsRead() throws Exception {
        AtomicBoolean abortedInTime = new AtomicBoolean();
        JdbcCursor tested = borrowedStream(
                () -> {
                    throw new SQLException("too many connections");
                },
                () -> abortedInTime.set(aborted.getCount() == 0),
                Duration.ofMinutes(2));
        assertThat(tested.next()).isTrue();

        tested.close();

        assertThat(abortedInTime).isTrue();
    }

    @Test
    void acceptedCancelRequestKeepsTheConnection() throws Exception {
        JdbcCursor tested = borrowedStream(() -> {}, () -> {}, Duration.ofMinutes(2));
        assertThat(tested.next()).isTrue();

        tested.close();

        assertThat(aborted.getCount()).isEqualTo(1);
    }

    @Test
    @Timeout(60)
    void databaseThatReactsNoMoreDoesNotBlockTheCloseOfABorrowedConnection() throws Exception {
        JdbcCursor tested = borrowedStream(() -> {}, this::awaitAbort, Duration.ofMillis(200));
        assertThat(tested.next()).isTrue();

        tested.close();

        assertThat(aborted.getCount()).isZero();
    }

    /** An earlier request may have come before the execution of the statement, and then had no effect. */
    @Test
    void closeAsksAgainAfterAnEarlierCancellation() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        CountDownLatch asked = new CountDownLatch(1);
        JdbcCursor tested = borrowedStream(
                () -> {
                    requests.incrementAndGet();
                    asked.countDown();
                },
                () -> {},
                Duration.ofMinutes(2));
        assertThat(tested.next()).isTrue();
        Thread cancelling = Thread.ofPlatform().start(tested::cancel);
        asked.await();

        tested.close();

        assertThat(cancelling.join(Duration.ofMinutes(1))).isTrue();
        assertThat(requests).hasValue(2);
        assertThat(aborted.getCount()).isEqualTo(1);
    }

    private void awaitAbort() {
        try {
            aborted.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A query of a borrowed connection whose driver reads the rest of a result that is closed early. */
    private JdbcCursor borrowedStream(ReadTransaction.Step cancel, Runnable closeResult, Duration noticeLimit)
            throws SQLException {
        ResultSet rows = proxy(ResultSet.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "next" -> true;
            case "close" -> run(closeResult::run);
            default -> null;
        });
        Statement statement = proxy(Statement.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "executeQuery" -> rows;
            case "cancel" -> run(cancel);
            default -> null;
        });
        Connection connection = proxy(Connection.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "createStatement" -> statement;
            case "getAutoCommit", "isReadOnly" -> false;
            case "abort" -> run(aborted::countDown);
            default -> null;
        });
        JdbcCursor streaming = new JdbcCursor(
                ReadTransaction.beginBorrowed(
                        connection, SqlDialect.MYSQL, JdbcUrl.of("jdbc:mariadb://h/d"), errors(), Optional.empty()),
                10,
                noticeLimit);
        streaming.run("SELECT 1");
        return streaming;
    }

    private static @Nullable Object run(ReadTransaction.Step step) throws SQLException {
        step.run();
        return null;
    }

    private static JdbcErrors errors() {
        return new JdbcErrors("orders", List.of());
    }

    /** The cancel begins when the cursor no longer looks for it. Its first request comes before the execution. */
    private @Nullable Object execute() throws InterruptedException, SQLException {
        Thread.ofVirtual().start(() -> {
            JdbcCursor cancelled = cursor.get();
            if (cancelled != null) {
                cancelled.cancel();
            }
        });
        tooEarly.await();
        executes = true;
        inTime.await();
        throw new SQLException("the statement was cancelled");
    }

    private @Nullable Object cancel() {
        (executes ? inTime : tooEarly).countDown();
        return null;
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
