// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli.doctor;

import io.millrace.client.Setting.Unit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks what a server writes to disk, and which acknowledged rows a killed server loses. */
final class PersistenceCheck {

    private static final String TOPIC = "persistence";
    private static final String APPEND =
            "Set appendonly yes if the rows must survive, or load them again after a restart.";

    private final ServerState state;
    private final Instant now;

    private PersistenceCheck(ServerState state, Instant now) {
        this.state = state;
        this.now = now;
    }

    static List<Finding> of(ServerState state, Instant now) {
        PersistenceCheck check = new PersistenceCheck(state, now);
        if (state.fact("aof_enabled").isEmpty()) {
            return List.of(Finding.unknown(
                    TOPIC, "the server does not report its persistence", "Give the user the permission +info."));
        }
        List<Finding> findings = new ArrayList<>();
        check.failure().ifPresent(findings::add);
        findings.add(check.loss());
        check.snapshots().ifPresent(findings::add);
        return findings;
    }

    /** The server refuses writes with MISCONF after a failed snapshot or a failed write of the append-only file. */
    private Optional<Finding> failure() {
        boolean appendFailed = isAppending()
                && "err".equals(state.fact("aof_last_write_status").orElse("ok"));
        boolean snapshotFailed =
                "err".equals(state.fact("rdb_last_bgsave_status").orElse("ok"))
                        && !savePoints().equals(Optional.of(""))
                        && !state.setting("stop-writes-on-bgsave-error").equals(Optional.of("no"));
        return appendFailed || snapshotFailed
                ? Optional.of(Finding.problem(
                        TOPIC,
                        "the last write to disk failed, so the server may refuse rows (MISCONF): "
                                + (appendFailed ? "aof_last_write_status" : "rdb_last_bgsave_status") + "=err",
                        "Look at the log of the server: the disk may be full."))
                : Optional.empty();
    }

    private Finding loss() {
        if (isAppending()) {
            return lossOfAppendOnlyFile();
        }
        Optional<String> points = savePoints();
        if (points.equals(Optional.of(""))) {
            return Finding.advice(
                    TOPIC, "nothing is on disk, and a killed server loses all data: appendonly=no, save=\"\"", APPEND);
        }
        long age = state.number("rdb_last_save_time").orElse(0);
        String values = "appendonly=no, save="
                + points.map(text -> '"' + text + '"').orElse("unknown")
                + ", last snapshot=" + (age > 0 ? ago(Instant.ofEpochSecond(age)) : "unknown") + ", changes since then="
                + Unit.COUNT.text(state.number("rdb_changes_since_last_save").orElse(0));
        return Finding.advice(
                TOPIC,
                "a killed server loses all changes since its last snapshot: " + values,
                "Send BGSAVE after the load. " + APPEND);
    }

    private Finding lossOfAppendOnlyFile() {
        Optional<String> policy = state.setting("appendfsync");
        boolean pauses = state.setting("no-appendfsync-on-rewrite").equals(Optional.of("yes"));
        String values = "appendonly=yes, appendfsync=" + policy.orElse("unknown")
                + (pauses ? ", no-appendfsync-on-rewrite=yes" : "");
        return switch (policy.orElse("")) {
            case "always" ->
                pauses
                        ? lossDuringRewrite(values)
                        : Finding.ok(TOPIC, "each acknowledged row is on disk, also after a power failure: " + values);
            case "everysec" ->
                pauses
                        ? lossDuringRewrite(values)
                        : Finding.ok(
                                TOPIC,
                                "a killed server or a power failure loses up to the last 2 s of rows: " + values);
            case "no" ->
                Finding.advice(
                        TOPIC,
                        "a power failure loses the rows that the operating system has not written, about 30 s with Linux: "
                                + values,
                        "Set appendfsync everysec.");
            default ->
                Finding.unknown(
                        TOPIC,
                        "the rows are in an append-only file, but it is unknown how often the file is forced to disk: "
                                + values,
                        "Give the user the permission +config|get.");
        };
    }

    private static Finding lossDuringRewrite(String values) {
        return Finding.advice(
                TOPIC,
                "while the append-only file is rewritten, a power failure may lose all rows since the rewrite began: "
                        + values,
                "Set no-appendfsync-on-rewrite no.");
    }

    /** A load with many rows triggers snapshots, which copy changed memory. */
    private Optional<Finding> snapshots() {
        return savePoints()
                .filter(points -> !points.isEmpty())
                .map(points -> Finding.ok(
                        "snapshots",
                        "a large load triggers snapshots, and the memory that changes meanwhile is used twice: save=\""
                                + points + "\", last fork=" + lastFork()));
    }

    /** How long the server stood still when the process of a snapshot began. */
    private String lastFork() {
        long micros = state.number("latest_fork_usec").orElse(0);
        return micros == 0 ? "none" : Unit.COUNT.text(micros) + " µs";
    }

    private boolean isAppending() {
        return state.number("aof_enabled").orElse(0) > 0;
    }

    /** The points at which the server writes a snapshot; empty if they are unknown, an empty text if there are none. */
    private Optional<String> savePoints() {
        return state.setting("save");
    }

    private String ago(Instant then) {
        Duration age = Duration.between(then, now);
        return age.isNegative() ? "now" : age.toSeconds() + " s ago";
    }
}
