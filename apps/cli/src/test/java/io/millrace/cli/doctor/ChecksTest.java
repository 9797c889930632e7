// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.doctor.Finding.Level;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Tests the checks with states that a test server does not have. */
class ChecksTest {

    private static final Instant NOW = Instant.ofEpochSecond(1_000_000);

    private static ServerState state(Map<String, String> facts, Map<String, String> settings) {
        return new ServerState(facts, settings, Map.of());
    }

    private static Optional<Sample> sample(long rows, long bytes, long totalRows) {
        return Optional.of(new Sample(rows, rows, bytes, OptionalLong.of(totalRows), true, true));
    }

    private static Finding find(List<Finding> findings, String topic) {
        return findings.stream()
                .filter(finding -> finding.topic().equals(topic))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + topic + " in " + findings));
    }

    @Test
    void rowsAreComparedWithTheMemoryOfTheMachineIfThereIsNoLimit() {
        Map<String, String> facts =
                Map.of("used_memory", "1000000", "maxmemory", "0", "total_system_memory", "100000000");

        Finding tooMuch = find(MemoryCheck.of(state(facts, Map.of()), sample(1_000, 200_000, 1_000_000)), "memory");
        Finding fits = find(MemoryCheck.of(state(facts, Map.of()), sample(1_000, 20_000, 1_000_000)), "memory");

        assertThat(tooMuch.level()).isEqualTo(Level.PROBLEM);
        assertThat(tooMuch.message()).contains("the operating system will swap or end the server");
        assertThat(tooMuch.advice())
                .hasValueSatisfying(advice -> assertThat(advice).startsWith("Use a machine with"));
        assertThat(fits.level()).isEqualTo(Level.ADVICE);
        assertThat(fits.message()).contains("free=at most 94 MB");
    }

    @Test
    void failedSnapshotStopsWritesUnlessThisIsSwitchedOff() {
        Map<String, String> facts = Map.of("aof_enabled", "0", "rdb_last_bgsave_status", "err");

        assertThat(PersistenceCheck.of(state(facts, Map.of("save", "60 1")), NOW)
                        .getFirst()
                        .message())
                .contains("MISCONF");
        assertThat(PersistenceCheck.of(state(facts, Map.of("save", "60 1", "stop-writes-on-bgsave-error", "no")), NOW))
                .noneMatch(finding -> finding.level() == Level.PROBLEM);
        assertThat(PersistenceCheck.of(state(facts, Map.of("save", "")), NOW))
                .noneMatch(finding -> finding.level() == Level.PROBLEM);
    }

    @Test
    void lossOfASnapshotNamesItsAgeAndTheChangesSinceThen() {
        Map<String, String> facts =
                Map.of("aof_enabled", "0", "rdb_last_save_time", "999940", "rdb_changes_since_last_save", "5000");

        assertThat(PersistenceCheck.of(state(facts, Map.of("save", "3600 1")), NOW)
                        .getFirst()
                        .message())
                .contains("last snapshot=60 s ago, changes since then=5,000");
    }

    @Test
    void everyPolicyOfTheAppendOnlyFileHasItsLoss() {
        Map<String, String> facts = Map.of("aof_enabled", "1");

        assertThat(loss(facts, Map.of("appendfsync", "no")).level()).isEqualTo(Level.ADVICE);
        assertThat(loss(facts, Map.of("appendfsync", "always")).level()).isEqualTo(Level.OK);
        assertThat(loss(facts, Map.of("appendfsync", "everysec", "no-appendfsync-on-rewrite", "yes"))
                        .message())
                .contains("while the append-only file is rewritten");
        assertThat(loss(facts, Map.of()).level()).isEqualTo(Level.UNKNOWN);
    }

    private static Finding loss(Map<String, String> facts, Map<String, String> settings) {
        return find(PersistenceCheck.of(state(facts, settings), NOW), "persistence");
    }

    @Test
    void replicaWithASmallBufferGetsAdviceIfTheRowsExceedIt() {
        ServerState state = state(
                Map.of("connected_slaves", "1"),
                Map.of(
                        "client-output-buffer-limit",
                        "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60"));
        RoundTrip near = new RoundTrip(100_000, 200_000);

        assertThat(find(ConnectionCheck.of(state, sample(1, 300, 1_000_000), near), "replicas")
                        .level())
                .isEqualTo(Level.ADVICE);
        assertThat(find(ConnectionCheck.of(state, sample(1, 200, 1_000_000), near), "replicas")
                        .level())
                .isEqualTo(Level.OK);
    }

    @Test
    void longRoundTripGetsAdviceAboutTheWindow() {
        ServerState state = state(Map.of(), Map.of());

        Finding near = find(ConnectionCheck.of(state, Optional.empty(), new RoundTrip(1_000_000, 1)), "round trip");
        Finding far = find(ConnectionCheck.of(state, Optional.empty(), new RoundTrip(100_000_000, 1)), "round trip");

        assertThat(near.message()).contains("at most 1,000 rows/s");
        assertThat(near.level()).isEqualTo(Level.OK);
        assertThat(far.level()).isEqualTo(Level.ADVICE);
        assertThat(far.advice()).hasValueSatisfying(advice -> assertThat(advice).contains("--in-flight 50000"));
    }

    @Test
    void fullServerAcceptsNoConnection() {
        ServerState state = state(Map.of("connected_clients", "100", "maxclients", "100"), Map.of());

        assertThat(find(ConnectionCheck.of(state, Optional.empty(), new RoundTrip(1, 1)), "connections")
                        .level())
                .isEqualTo(Level.PROBLEM);
    }
}
