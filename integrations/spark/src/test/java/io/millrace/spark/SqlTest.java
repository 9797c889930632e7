// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
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
    void tableCannotBeRead() {
        assertThatThrownBy(() -> SPARK.sql("SELECT * FROM people").count())
                .hasMessageContaining("does not support batch scan");
    }
}
