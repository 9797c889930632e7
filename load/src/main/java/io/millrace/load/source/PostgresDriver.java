// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.lang.reflect.InvocationTargetException;
import java.sql.Connection;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Wrapper;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Calls of the PostgreSQL driver for which JDBC has no method. They are needed for a connection of a data source, because
 * Millrace does not choose the properties of such a connection. The calls are reflective, because the driver belongs to
 * the application, and may be in another class loader. If the driver is not accessible, nothing is called.
 */
final class PostgresDriver {

    private PostgresDriver() {}

    /** Requests values as text. The driver would use a binary format for a statement that it has prepared. */
    static void requestText(Statement statement) throws SQLException {
        Optional<DriverObject> driver = DriverObject.of("org.postgresql.PGStatement", statement);
        if (driver.isPresent()) {
            var unused = driver.get().call("setPrepareThreshold", 0);
        }
    }

    /** Whether the driver delivers a column in binary format nevertheless. */
    static boolean hasBinaryColumn(ResultSetMetaData meta) throws SQLException {
        Optional<DriverObject> driver = DriverObject.of("org.postgresql.PGResultSetMetaData", meta);
        if (driver.isEmpty()) {
            return false;
        }
        for (int column = 1; column <= meta.getColumnCount(); column++) {
            if (!Integer.valueOf(0).equals(driver.get().call("getFormat", column))) { // 0 is text, 1 is binary
                return true;
            }
        }
        return false;
    }

    /**
     * Cancels the statement that the connection runs. In contrast, {@link Statement#cancel} does nothing while the
     * driver fetches further rows. Returns false, and does nothing, if the driver is not accessible.
     */
    static boolean tryCancel(Connection connection) throws SQLException {
        Optional<DriverObject> driver = DriverObject.of("org.postgresql.PGConnection", connection);
        if (driver.isPresent()) {
            var unused = driver.get().call("cancelQuery");
        }
        return driver.isPresent();
    }

    /** An object of the driver, and the interface that has its methods. */
    private record DriverObject(Class<?> type, Object object) {

        /** Returns the object of the driver that {@code wrapper} is or contains; empty if there is none. */
        static Optional<DriverObject> of(String typeName, Wrapper wrapper) throws SQLException {
            for (ClassLoader loader : Arrays.asList(
                    wrapper.getClass().getClassLoader(),
                    PostgresDriver.class.getClassLoader(),
                    Thread.currentThread().getContextClassLoader())) {
                Class<?> type = type(typeName, loader);
                if (type != null && wrapper.isWrapperFor(type)) {
                    return Optional.of(new DriverObject(type, wrapper.unwrap(type)));
                }
            }
            return Optional.empty();
        }

        private static @Nullable Class<?> type(String name, @Nullable ClassLoader loader) {
            try {
                return Class.forName(name, false, loader);
            } catch (ClassNotFoundException | LinkageError e) {
                return null;
            }
        }

        /** Calls a method whose parameters are integers. Returns its result; null for a method without a result. */
        @Nullable
        Object call(String method, Integer... arguments) throws SQLException {
            Class<?>[] types = new Class<?>[arguments.length];
            Arrays.fill(types, int.class);
            try {
                return type.getMethod(method, types).invoke(object, (Object[]) arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause() instanceof SQLException failure ? failure : new SQLException(e.getCause());
            } catch (ReflectiveOperationException e) {
                throw new SQLException("the driver of PostgreSQL has no method " + method, e);
            }
        }
    }
}
