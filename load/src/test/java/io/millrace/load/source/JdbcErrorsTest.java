// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests failures that occur rarely with real drivers. A fake driver produces the failures. */
final class JdbcErrorsTest {

    private static final String URL = "jdbc:fake://ada:hunter2@h/d";

    private Driver driver = fake(Driver.class, Map.of());

    @AfterEach
    void removeDriver() throws SQLException {
        DriverManager.deregisterDriver(driver);
    }

    @Test
    void passwordInADriverMessageIsHidden() throws Exception {
        SQLException inner = new SQLException("tried " + URL);
        register(args -> {
            throw new SQLException("login failed for ada/hunter2\n  at " + URL, "28000", inner);
        });

        SourceException e = catchThrowableOfType(SourceException.class, () -> open(JdbcOptions.defaults()));

        assertThat(e.kind()).isEqualTo(SourceException.Kind.UNREACHABLE);
        assertThat(e)
                .hasMessage("cannot connect to jdbc:fake://h/d (login failed for ada/*** at jdbc:fake://ada:***@h/d)");
        assertThat(stackTrace(e)).doesNotContain("hunter2");
    }

    @Test
    void passwordOfTheOptionsIsHiddenInMessages() throws Exception {
        register(args -> {
            SQLException e = new SQLException("no", "08001");
            e.setNextException(new SQLException("s3cret!"));
            throw e;
        });
        JdbcOptions options = JdbcOptions.defaults().withUser("bob").withPassword("s3cret!");

        SourceException e = catchThrowableOfType(SourceException.class, () -> open(options));

        assertThat(e.kind()).isEqualTo(SourceException.Kind.UNREACHABLE);
        assertThat(stackTrace(e)).doesNotContain("s3cret!");
        assertThat(options.toString()).isEqualTo("JdbcOptions[user=bob, password=***, fetchSize=1000, drivers=[]]");
    }

    @Test
    void userInTheUrlOverridesTheUserInTheOptions() throws Exception {
        List<Map<Object, Object>> seen = new ArrayList<>();
        register(args -> {
            seen.add(Map.copyOf((Properties) args[1]));
            return connection(new SQLException("x"));
        });
        JdbcOptions options = JdbcOptions.defaults().withUser("bob").withPassword("s3cret!");

        open(options).close();
        for (String url :
                List.of("jdbc:fake://h/d", "jdbc:fake://h/d?user=ada", "jdbc:fake://h/d?user=ada&password=x")) {
            JdbcSource.ofQuery(url, "SELECT 1", options).open().close();
        }

        assertThat(seen)
                .containsExactly(
                        Map.of("user", "ada", "password", "hunter2"),
                        Map.of("user", "bob", "password", "s3cret!"),
                        Map.of("password", "s3cret!"),
                        Map.of());
    }

    @Test
    void rowWithAnUnreadableValueIsRejectedAndKeepsItsOtherValues() throws Exception {
        register(args -> connection(new SQLException("bad date\n 'x' hunter2")));

        try (RowReader reader = open(JdbcOptions.defaults())) {
            Row row = new Row();
            assertThat(reader.next(row)).isTrue();

            Rows.Read read = Rows.Read.of(row);
            assertThat(read.rejection()).isEqualTo("UNREADABLE_VALUE: 'born' cannot be read (bad date 'x' ***)");
            assertThat(read.values()).containsExactly("7", Rows.NULL, "7");
            assertThat(reader.next(row)).isTrue();
        }
    }

    @Test
    void lostConnectionEndsTheSourceAndRejectsNoRow() throws Exception {
        register(args -> connection(new SQLException("connection reset", "08006")));

        try (RowReader reader = open(JdbcOptions.defaults())) {
            assertThatThrownBy(() -> reader.next(new Row()))
                    .isInstanceOfSatisfying(
                            SourceException.class, e -> assertThat(e.kind()).isEqualTo(SourceException.Kind.BROKEN))
                    .hasMessage("reading jdbc:fake://h/d failed after 0 rows (connection reset)."
                            + " The rows before the failure were read.");
        }
    }

    @Test
    void urlWithoutADriverReportsTheAvailableDrivers() {
        assertThatThrownBy(() -> JdbcSource.ofTable("jdbc:nosuch://ada:hunter2@h/d", "t", JdbcOptions.defaults())
                        .open())
                .isInstanceOfSatisfying(
                        SourceException.class, e -> assertThat(e.kind()).isEqualTo(SourceException.Kind.UNUSABLE))
                .hasMessageContaining("there is no driver for jdbc:nosuch:. Available drivers: ")
                .hasMessageContaining("org.postgresql.Driver")
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void closedPortIsReportedAsUnreachable() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }

        assertThatThrownBy(() -> JdbcSource.ofTable(
                                "jdbc:postgresql://localhost:" + port + "/d?password=hunter2",
                                "t",
                                JdbcOptions.defaults())
                        .open())
                .isInstanceOfSatisfying(
                        SourceException.class, e -> assertThat(e.kind()).isEqualTo(SourceException.Kind.UNREACHABLE))
                .hasMessageStartingWith("cannot connect to jdbc:postgresql://localhost:" + port + "/d (")
                .hasMessageContaining("refused")
                .message()
                .doesNotContain("\n", "hunter2");
    }

    @Test
    void urlThatItsDriverDoesNotAcceptIsReported() {
        assertThatThrownBy(() -> JdbcSource.ofTable("jdbc:postgresql://h:x/d", "t", JdbcOptions.defaults())
                        .open())
                .isInstanceOf(SourceException.class)
                .hasMessageContaining("its driver org.postgresql.Driver does not accept this URL");
    }

    private static RowReader open(JdbcOptions options) {
        return JdbcSource.ofQuery(URL, "SELECT 1;\n", options).open();
    }

    private static String stackTrace(Throwable e) {
        StringWriter text = new StringWriter();
        e.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }

    private void register(Method connect) throws SQLException {
        driver = fake(
                Driver.class,
                Map.of("acceptsURL", args -> ((String) args[0]).startsWith("jdbc:fake:"), "connect", connect));
        DriverManager.registerDriver(driver);
    }

    /**
     * A connection whose query returns rows of three columns: 7, a date, and 7. Reading the date throws {@code
     * failure}.
     */
    private static Connection connection(SQLException failure) {
        List<String> names = List.of("id", "born", "n");
        ResultSetMetaData meta = fake(
                ResultSetMetaData.class,
                Map.of(
                        "getColumnCount", args -> 3,
                        "getColumnLabel", args -> names.get((int) args[0] - 1),
                        "getColumnType", args -> args[0].equals(2) ? Types.DATE : Types.INTEGER));
        ResultSet rows = fake(
                ResultSet.class,
                Map.of("getMetaData", args -> meta, "next", args -> true, "getLong", args -> 7L, "getObject", args -> {
                    throw failure;
                }));
        Statement statement = fake(Statement.class, Map.of("executeQuery", args -> rows));
        DatabaseMetaData database = fake(DatabaseMetaData.class, Map.of("getDriverName", args -> "fake"));
        return fake(
                Connection.class,
                Map.of(
                        "getMetaData",
                        args -> database,
                        "createStatement",
                        args -> statement,
                        "isClosed",
                        args -> false));
    }

    private interface Method {
        Object call(Object[] args) throws SQLException;
    }

    /** A proxy of {@code type} with the given methods. All other methods do nothing. */
    private static <T> T fake(Class<T> type, Map<String, Method> methods) {
        InvocationHandler handler = (proxy, method, args) -> {
            Method known = methods.get(method.getName());
            if (known != null) {
                return known.call(args == null ? new Object[0] : args);
            }
            return switch (method.getName()) {
                case "equals" -> System.identityHashCode(proxy) == System.identityHashCode(args[0]);
                case "hashCode" -> System.identityHashCode(proxy);
                default -> null;
            };
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
