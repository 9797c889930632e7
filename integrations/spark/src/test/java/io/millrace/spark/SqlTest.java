// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SqlTest {

    private static final SparkSession SPARK = TestSpark.session();

    @BeforeEach
    void createTable() {
        TestRedis.clear();
        SPARK.sql("CREATE TABLE people (id BIGINT, name STRING) USING millrace OPTIONS (uri '" + TestRedis.uri()
                + "', key 'user:{id}', as 'hash')");
    }

    @AfterEach
    void dropTable() {
        SPARK.sql("DROP TABLE people");
    }

    @Test
    void insertWritesRows() {
        SPARK.sql("INSERT INTO people SELECT id, concat('name ', id) AS name FROM range(100)");

        assertThat(TestRedis.size()).isEqualTo(100);
        assertThat(TestRedis.hash("user:7")).isEqualTo(Map.of("id", "7", "name", "name 7"));
    }

    @Test
    void insertOverwriteRemovesTheOldKeys() {
        SPARK.sql("INSERT INTO people SELECT id, 'a' AS name FROM range(100)");

        SPARK.sql("INSERT OVERWRITE people SELECT id, 'b' AS name FROM range(10)");

        assertThat(TestRedis.size()).isEqualTo(10);
        assertThat(TestRedis.hash("user:7")).containsEntry("name", "b");
    }

    @Test
    void columnsOfAnInsertAreMatchedByPositionAndCast() {
        SPARK.sql("INSERT INTO people SELECT cast(id AS int) AS name, concat('name ', id) FROM range(10)");
        SPARK.sql("INSERT INTO people BY NAME SELECT 'eleven' AS name, 11L AS id");

        assertThat(TestRedis.hash("user:7")).isEqualTo(Map.of("id", "7", "name", "name 7"));
        assertThat(TestRedis.hash("user:11")).isEqualTo(Map.of("id", "11", "name", "eleven"));
    }

    @Test
    void insertWithAnotherNumberOfColumnsIsRefused() {
        assertThatThrownBy(() -> SPARK.sql("INSERT INTO people SELECT id, 'a', 'b' FROM range(10)"))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContaining("INSERT_COLUMN_ARITY_MISMATCH");
        assertThat(TestRedis.size()).isZero();
    }

    @Test
    void tableWithoutColumnsTakesTheNamesOfTheQuery() {
        SPARK.sql("CREATE TABLE anything USING millrace OPTIONS (uri '" + TestRedis.uri()
                + "', key 'any:{id}', as 'hash')");
        try {
            SPARK.sql("INSERT INTO anything SELECT 'b' AS name, id FROM range(10)");

            assertThat(TestRedis.hash("any:7")).isEqualTo(Map.of("id", "7", "name", "b"));
        } finally {
            SPARK.sql("DROP TABLE anything");
        }
    }

    @Test
    void tableCannotBeRead() {
        assertThatThrownBy(() -> SPARK.sql("SELECT * FROM people").count())
                .hasMessageContaining("does not support batch scan");
    }
}
