// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A pool with one connection. Unlike usual pools, it does not reset the connection: the next borrower gets the connection
 * as the last borrower has left it.
 */
final class OneConnectionPool implements DataSource, AutoCloseable {

    private final Connection physical;
    private final Semaphore free = new Semaphore(1);

    OneConnectionPool(String url) throws SQLException {
        this.physical = DriverManager.getConnection(url);
    }

    /** The connection behind the lent connections. */
    Connection physical() {
        return physical;
    }

    /** Whether no connection is lent. */
    boolean isComplete() {
        return free.availablePermits() == 1;
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (!free.tryAcquire()) {
            throw new SQLException("the only connection is lent");
        }
        AtomicBoolean returned = new AtomicBoolean();
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> invoke(method, arguments, returned));
    }

    private @Nullable Object invoke(Method method, Object @Nullable [] arguments, AtomicBoolean returned)
            throws Throwable {
        switch (method.getName()) {
            case "close" -> {
                if (returned.compareAndSet(false, true)) {
                    free.release();
                }
                return null;
            }
            case "isClosed" -> {
                return returned.get() || physical.isClosed();
            }
            default -> {
                if (returned.get()) {
                    throw new SQLException("a connection is used after it was given back: method=" + method.getName());
                }
                try {
                    return method.invoke(physical, arguments);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            }
        }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }

    @Override
    public void close() throws SQLException {
        physical.close();
    }
}
