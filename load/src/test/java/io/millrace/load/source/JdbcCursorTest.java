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
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A database without a network connection: a cancel request before the execution of the statement has no effect. */
class JdbcCursorTest {

    private final AtomicReference<@Nullable JdbcCursor> cursor = new AtomicReference<>();
    private final CountDownLatch tooEarly = new CountDownLatch(1);
    private final CountDownLatch inTime = new CountDownLatch(1);
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
        AtomicBoolean aborted = new AtomicBoolean();
        Connection connection = proxy(Connection.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "createStatement" -> statement;
            case "getAutoCommit", "isReadOnly" -> false;
            case "abort" -> {
                aborted.set(true);
                yield null;
            }
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
        assertThat(aborted).isFalse();
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
