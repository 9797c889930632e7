// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests the reading with several connections of a data source. */
final class PartitionedDataSourceTest {

    private static final JdbcOptions FETCH_TEN = JdbcOptions.defaults().withFetchSize(10);

    private static EmbeddedPostgres postgres;

    @BeforeAll
    static void startPostgres() throws IOException, SQLException {
        postgres = EmbeddedPostgres.start();
        Sql.run(url(), "CREATE TABLE moving AS SELECT id, ARRAY[id] AS ids FROM generate_series(1, 3000) AS id");
    }

    @AfterAll
    static void stopPostgres() throws IOException {
        postgres.close();
    }

    private static String url() {
        return postgres.getJdbcUrl("postgres", "postgres");
    }

    /** A pool with some connections, whose sessions have a time zone of their own. */
    private record Pool(List<OneConnectionPool> connections) implements AutoCloseable {

        static Pool of(int size) throws SQLException {
            List<OneConnectionPool> connections = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                OneConnectionPool one = new OneConnectionPool(url());
                connections.add(one);
                Sql.run(one.physical(), "SET TIME ZONE 'Asia/Tokyo'");
            }
            return new Pool(connections);
        }

        DataSource dataSource() {
            return (DataSource) Proxy.newProxyInstance(
                    DataSource.class.getClassLoader(),
                    new Class<?>[] {DataSource.class},
                    (proxy, method, arguments) -> lend());
        }

        private Connection lend() throws SQLException {
            for (OneConnectionPool one : connections) {
                try {
                    return one.getConnection();
                } catch (SQLException lent) {
                    // The next one may be free.
                }
            }
            throw new SQLTransientConnectionException("no connection is free");
        }

        void assertThatAllConnectionsAreBackAsTheyCame() throws SQLException {
            for (OneConnectionPool one : connections) {
                assertThat(one.isComplete()).isTrue();
                assertThat(one.physical().isClosed()).isFalse();
                assertThat(one.physical().getAutoCommit()).isTrue();
                assertThat(one.physical().isReadOnly()).isFalse();
                assertThat(show(one, "TimeZone")).isEqualTo("Asia/Tokyo");
                assertThat(show(one, "transaction_isolation")).isEqualTo("read committed");
                assertThat(show(one, "client_connection_check_interval")).isEqualTo("0");
            }
        }

        private static String show(OneConnectionPool one, String setting) throws SQLException {
            try (Statement statement = one.physical().createStatement();
                    ResultSet rows = statement.executeQuery("SHOW " + setting)) {
                rows.next();
                return rows.getString(1);
            }
        }

        @Override
        public void close() throws SQLException {
            for (OneConnectionPool one : connections) {
                one.close();
            }
        }
    }

    @Test
    void readersOfADataSourceSeeTheSameStateAndGiveTheirConnectionsBack() throws SQLException {
        try (Pool pool = Pool.of(4)) {
            RowSource source =
                    JdbcSource.ofTable(pool.dataSource(), "moving", FETCH_TEN).partitioned("ID", 3);
            List<Rows.Read> rows;
            try (RowReader reader = source.open()) {
                Sql.run(url(), "UPDATE moving SET id = 3001 - id", "INSERT INTO moving VALUES (5000, NULL)");
                rows = Rows.rest(reader);
            }
            Sql.run(url(), "DELETE FROM moving WHERE id = 5000", "UPDATE moving SET id = 3001 - id");

            assertThat(rows)
                    .hasSize(3000)
                    .allSatisfy(row -> assertThat(row.values().get(1))
                            .isEqualTo("[" + row.values().getFirst() + "]"));
            pool.assertThatAllConnectionsAreBackAsTheyCame();
        }
    }

    @Test
    void readersThatAreClosedEarlyGiveTheirConnectionsBack() throws SQLException {
        try (Pool pool = Pool.of(3)) {
            String endless = "SELECT generate_series(1, 100000000) AS id";
            RowSource source =
                    JdbcSource.ofQuery(pool.dataSource(), endless, FETCH_TEN).partitioned("id", 1, 100_000_000, 2);

            try (RowReader reader = source.open()) {
                assertThat(reader.next(new Row())).isTrue();
            }

            pool.assertThatAllConnectionsAreBackAsTheyCame();
        }
    }

    @Test
    void poolWithTooFewConnectionsIsUnreachableAndGetsItsConnectionsBack() throws SQLException {
        try (Pool pool = Pool.of(2)) {
            RowSource source = JdbcSource.ofTable(pool.dataSource(), "moving", FETCH_TEN)
                    .withName("orders")
                    .partitioned("id", 3);

            assertThatThrownBy(source::open)
                    .isInstanceOfSatisfying(
                            SourceException.class,
                            e -> assertThat(e.kind()).isEqualTo(SourceException.Kind.UNREACHABLE))
                    .hasMessage("cannot connect to orders (no connection is free)");
            pool.assertThatAllConnectionsAreBackAsTheyCame();
        }
    }
}
