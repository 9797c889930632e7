// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.source.JdbcOptions;
import io.millrace.load.source.RowReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that the key {@code fetch-size} reaches the driver of the database. */
class FetchSizeTest {

    private final List<Object> fetchSizes = new CopyOnWriteArrayList<>();

    @ParameterizedTest
    @CsvSource({"table=shop,50", "query=select * from shop,70"})
    void fetchSizeIsThatOfTheStatement(String source, int fetchSize) throws SQLException {
        assertThat(fetchSize).isNotEqualTo(JdbcOptions.FETCH_SIZE.defaultValue());
        LoadJob job = TestJobs.job(source + ";key=c:{ID};as=hash;fetch-size=" + fetchSize, recording(database()));

        try (RowReader rows = job.plan().source().open()) {
            assertThat(rows.columns()).hasSize(1);
        }

        assertThat(fetchSizes).containsOnly(fetchSize);
    }

    private static DataSource database() throws SQLException {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:fetch-size;DB_CLOSE_DELAY=-1");
        try (Connection connection = database.getConnection()) {
            connection.createStatement().execute("CREATE TABLE IF NOT EXISTS shop (id INT)");
        }
        return database;
    }

    private DataSource recording(DataSource database) {
        return recording(DataSource.class, database);
    }

    /** An object that does what {@code target} does, and records the fetch sizes of its statements. */
    private <T> T recording(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                FetchSizeTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals("setFetchSize")) {
                        fetchSizes.add(arguments[0]);
                    }
                    try {
                        return recorded(method.invoke(target, arguments));
                    } catch (InvocationTargetException failed) {
                        throw failed.getTargetException();
                    }
                }));
    }

    private @Nullable Object recorded(@Nullable Object result) {
        if (result instanceof Connection connection) {
            return recording(Connection.class, connection);
        }
        return result instanceof Statement statement ? recording(Statement.class, statement) : result;
    }
}
