// SPDX-License-Identifier: Apache-2.0
package io.millrace.labspring;

import io.millrace.lab.bulk.RowData;
import io.millrace.lab.bulk.RowSource;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.frameworks.TableLoad;
import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.DefaultStringRedisConnection;
import org.springframework.data.redis.connection.StringRedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnection.PipeliningFlushPolicy;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;

/** A runner that streams the table, and writes it in pipelines. */
public record PipelinedLoad(TableLoad load) implements Work {

    private static final String DOCUMENTS = "lab.documents";

    @Override
    public ReadyWork open(WorkContext context) throws IOException {
        Map<String, Object> properties = Map.of(
                DOCUMENTS,
                load.isDocuments(),
                "spring.datasource.hikari.auto-commit",
                false, // otherwise the driver reads the whole table at once
                "spring.jdbc.template.fetch-size",
                Runner.PIPELINE,
                Application.EXCLUDE,
                Application.MILLRACE,
                "spring.data.redis.lettuce.pool.enabled",
                true); // otherwise each pipeline opens a connection
        return LoadRounds.open(
                load,
                context,
                PipelinedApplication.class,
                properties,
                application -> application.bean(Runner.class).written());
    }

    /** An application with the runner. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Runner.class)
    static class PipelinedApplication {}

    /** Used by the thread that starts the application. */
    static final class Runner implements ApplicationRunner {

        static final int PIPELINE = 1_000;

        private final JdbcTemplate database;
        private final StringRedisTemplate redis;
        private final boolean isDocuments;
        private List<List<String>> rows = new ArrayList<>();
        private long written;

        Runner(
                JdbcTemplate database,
                StringRedisTemplate redis,
                LettuceConnectionFactory connections,
                @Value("${" + DOCUMENTS + "}") boolean isDocuments) {
            connections.setPipeliningFlushPolicy(PipeliningFlushPolicy.flushOnClose());
            this.database = database;
            this.redis = redis;
            this.isDocuments = isDocuments;
        }

        long written() {
            return written;
        }

        @Override
        public void run(ApplicationArguments arguments) {
            database.query("SELECT * FROM " + RowSource.TABLE, this::read);
            write();
        }

        private void read(ResultSet row) throws SQLException {
            var values = new ArrayList<String>(RowData.COLUMNS.size());
            for (int i = 1; i <= RowData.COLUMNS.size(); i++) {
                values.add(row.getString(i));
            }
            rows.add(values);
            if (rows.size() == PIPELINE) {
                write();
            }
        }

        /** Throws if a command failed. */
        private void write() {
            redis.executePipelined((RedisCallback<@Nullable Object>) connection -> {
                var strings = new DefaultStringRedisConnection(connection); // a pool returns proxies
                rows.forEach(row -> send(strings, row));
                return null;
            });
            written += rows.size();
            rows = new ArrayList<>();
        }

        private void send(StringRedisConnection connection, List<String> values) {
            String key = RowData.KEYSPACE + ":" + values.getFirst();
            if (isDocuments) {
                connection.set(key, RowData.json(values));
            } else {
                var fields = new LinkedHashMap<String, String>();
                for (int i = 0; i < values.size(); i++) {
                    fields.put(RowData.COLUMNS.get(i), values.get(i));
                }
                connection.hMSet(key, fields);
            }
        }
    }
}
