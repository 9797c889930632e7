// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Hashes;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.DefaultApplicationArguments;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;

/** Tests a job that loads a table of PostgreSQL over the connection pool of the application. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class PostgresLoadTest {

    private static final int ROWS = 20_000;

    private static EmbeddedRedis server;
    private static EmbeddedPostgres postgres;

    @BeforeAll
    static void startServers() throws IOException, SQLException {
        server = EmbeddedRedis.start();
        postgres = EmbeddedPostgres.start();
        try (Connection connection = postgres.getPostgresDatabase().getConnection()) {
            connection
                    .createStatement()
                    .execute("CREATE TABLE price (id INT, product TEXT, cents BIGINT, tags TEXT[])");
            connection
                    .createStatement()
                    .execute(
                            "INSERT INTO price SELECT n, 'product ' || n, n * 10, ARRAY['a','b'] FROM generate_series(1, "
                                    + ROWS + ") n");
        }
    }

    @AfterAll
    static void stopServers() throws IOException {
        postgres.close();
        server.close();
    }

    @Test
    void tableIsLoadedAndVerifiedOverThePoolAndTheConnectionsGoBack() {
        TestRunners.of(server.uri())
                .withConfiguration(
                        AutoConfigurations.of(MillraceLoadAutoConfiguration.class, DataSourceAutoConfiguration.class))
                .withPropertyValues(
                        "spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
                        "spring.datasource.hikari.maximum-pool-size=1",
                        "millrace.load.jobs.prices.table=price",
                        "millrace.load.jobs.prices.key=price:{id}",
                        "millrace.load.jobs.prices.as=hash",
                        "millrace.load.jobs.prices.verify=full")
                .run(context -> {
                    context.getBean(StartUpLoads.class).run(new DefaultApplicationArguments());

                    LoadRun run = context.getBean(LoadJobs.class).last("prices").orElseThrow();
                    assertThat(run.report().rows().written()).isEqualTo(ROWS);
                    assertThat(run.report().verified().orElseThrow().mismatched())
                            .isZero();
                    assertThat(context.getBean(RedisClient.class).call(Hashes.getAll("price:7")))
                            .isEqualTo(
                                    Map.of("id", "7", "product", "product 7", "cents", "70", "tags", "[\"a\",\"b\"]"));
                    HikariDataSource pool = context.getBean(HikariDataSource.class);
                    assertThat(pool.getHikariPoolMXBean().getActiveConnections())
                            .isZero();
                    try (Connection connection = pool.getConnection()) {
                        assertThat(connection.getAutoCommit()).isTrue();
                        assertThat(connection.isReadOnly()).isFalse();
                    }
                });
    }
}
