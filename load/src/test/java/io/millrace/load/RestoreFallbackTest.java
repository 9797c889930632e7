// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static io.millrace.load.RestoringLoads.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.LoadReport.Verified;
import io.millrace.load.target.HashTarget;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Rows that the server does not restore, and that are written with the script. */
@ExtendWith(NoThreadLeft.class)
class RestoreFallbackTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final HashTarget EXPIRING = HashTarget.of("k:{id}").withTtl(HOUR);
    private static final LoadOptions VERIFYING =
            LoadOptions.builder().verify(Verification.FULL).build();

    private static RestoringLoads loads;

    @BeforeAll
    static void startRedis() {
        loads = new RestoringLoads();
    }

    @AfterAll
    static void stopRedis() {
        loads.close();
    }

    @BeforeEach
    void clear() {
        loads.clear();
    }

    @Test
    void onlyTheFirstRowOfAReloadIsRestored() {
        loads.run(EXPIRING, LoadOptions.defaults(), rows(20_000));
        loads.call("CONFIG", "RESETSTAT");

        LoadReport report = loads.run(EXPIRING, LoadOptions.defaults(), rows(20_000));

        assertThat(report.rows()).isEqualTo(new RowCounts(20_000, 20_000, 0, 0, 0));
        assertThat(loads.calls("restore")).isEqualTo(1);
        assertThat(report.commands().submitted()).isEqualTo(20_001);
        assertThat(report.commands().error()).isEqualTo(1);
    }

    @Test
    void fewRowsAreSentTwiceIfAnEarlyKeyExists() {
        loads.call("HSET", "k:70", "own", "kept");

        LoadReport report = loads.run(EXPIRING, LoadOptions.defaults(), rows(20_000));

        assertThat(report.rows()).isEqualTo(new RowCounts(20_000, 20_000, 0, 0, 0));
        assertThat(loads.calls("restore"))
                .as("the connection waits at row 64 and row 512")
                .isBetween(71L, 512L);
        assertThat(loads.hash("k:70")).containsEntry("own", "kept").containsEntry("id", "70");
    }

    @Test
    void userWithoutPermissionForRestoreLoadsWithTheScript() {
        loads.call("ACL", "SETUSER", "limited", "on", ">secret", "~*", "+@all", "-restore");
        loads.call("SET", "k:3", "a string");
        try {
            LoadReport report = loads.runAs("limited", EXPIRING, rows(5_000));

            assertThat(report.ending()).isEqualTo(new Ending.Completed());
            assertThat(report.rows()).isEqualTo(new RowCounts(5_000, 4_999, 1, 0, 0));
            assertThat(loads.rejects()).hasSize(1).allMatch(message -> message.startsWith("WRONGTYPE"));
            assertThat(report.commands().error())
                    .as("one row asks, one row is rejected")
                    .isEqualTo(2);
            assertThat(report.fusion().commands())
                    .as("the other rows share scripts")
                    .isPositive();
            assertThat(loads.withoutExpiry()).isEqualTo(1);
        } finally {
            loads.call("ACL", "DELUSER", "limited");
        }
    }

    @Test
    void rowsOfDeniedKeysAreRejectedAndTheOtherRowsAreWritten() {
        loads.call("ACL", "SETUSER", "some", "on", ">secret", "+@all", "~k:*1");
        try {
            LoadReport report = loads.runAs("some", EXPIRING, rows(1_000));

            assertThat(report.rows()).isEqualTo(new RowCounts(1_000, 100, 900, 0, 0));
            assertThat(loads.integer("DBSIZE")).isEqualTo(100);
            assertThat(loads.withoutExpiry()).isZero();
        } finally {
            loads.call("ACL", "DELUSER", "some");
        }
    }

    @Test
    void rowsAboveTheLimitsOfTheServerAreWrittenWithTheScriptAndHaveTheSameEncoding() {
        loads.call("CONFIG", "SET", "hash-max-listpack-value", "10");
        try {
            LoadReport report = loads.run(
                    EXPIRING,
                    VERIFYING,
                    TestRows.of(
                            List.of("id", "note"),
                            List.of(
                                    List.of("1", "x".repeat(10)),
                                    List.of("2", "x".repeat(11)),
                                    List.of("3", "x"),
                                    Arrays.asList("4", null))));

            assertThat(report.verified()).contains(new Verified(4, 0));
            assertThat(loads.calls("restore")).isEqualTo(3);
            assertThat(Stream.of("k:1", "k:2", "k:3", "k:4").map(loads::encoding))
                    .containsExactly("listpack", "hashtable", "listpack", "listpack");
            assertThat(loads.hash("k:4")).isEqualTo(Map.of("id", "4"));
        } finally {
            loads.call("CONFIG", "SET", "hash-max-listpack-value", "64");
        }
    }

    @Test
    void rowsWithMoreFieldsThanTheLimitOfTheServerAreWrittenWithTheScript() {
        loads.call("CONFIG", "SET", "hash-max-listpack-entries", "2");
        try {
            loads.run(
                    EXPIRING,
                    VERIFYING,
                    TestRows.of(
                            List.of("id", "a", "b"), List.of(List.of("1", "x", "y"), Arrays.asList("2", "x", null))));

            assertThat(loads.calls("restore")).isEqualTo(1);
            assertThat(loads.encoding("k:1")).isEqualTo("hashtable");
            assertThat(loads.encoding("k:2")).isEqualTo("listpack");
        } finally {
            loads.call("CONFIG", "SET", "hash-max-listpack-entries", "512");
        }
    }

    @Test
    void fullServerEndsTheLoadAsWithOtherCommands() {
        LoadOptions impatient =
                LoadOptions.builder().patience(Duration.ofMillis(100)).build();
        loads.call("CONFIG", "SET", "maxmemory", "1");
        try {
            LoadReport report = loads.run(EXPIRING, impatient, rows(100));

            assertThat(report.ending().reason().orElseThrow()).contains("OOM");
            assertThat(report.rows().written()).isZero();
            assertThat(loads.integer("DBSIZE")).isZero();
        } finally {
            loads.call("CONFIG", "SET", "maxmemory", "0");
        }
    }
}
