// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli.doctor;

import io.millrace.cli.doctor.Defect.ServerVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Checks the version, the mode and the role of a server. */
final class VersionCheck {

    /** The oldest version that Millrace supports. Each version of Valkey is newer. */
    private static final ServerVersion OLDEST = new ServerVersion(6, 2, 0);

    private VersionCheck() {}

    static List<Finding> of(ServerState state) {
        List<Finding> findings = new ArrayList<>();
        Optional<ServerVersion> version = state.version().flatMap(ServerVersion::parse);
        if (version.isEmpty()) {
            findings.add(Finding.unknown(
                    "version", "the server does not report its version", "Give the user the permission +info."));
        } else {
            findings.add(version(state, version.get()));
        }
        mode(state).ifPresent(findings::add);
        return findings;
    }

    private static Finding version(ServerState state, ServerVersion version) {
        String text = "version=" + state.version().orElseThrow();
        if (!state.isValkey() && version.compareTo(OLDEST) < 0) {
            return Finding.problem(
                    "version", "the version is too old: " + text, "Upgrade to Redis 6.2 or later, or to Valkey.");
        }
        List<Defect> defects = Defect.ALL.stream()
                .filter(defect -> defect.valkey() == state.isValkey() && defect.affects(version))
                .toList();
        if (defects.isEmpty()) {
            return Finding.ok("version", "no known defect concerns this version: " + text);
        }
        String effects = defects.stream()
                .map(defect -> defect.id() + " (" + defect.effect() + ")")
                .collect(Collectors.joining(", "));
        ServerVersion fixed = defects.stream()
                .flatMap(defect -> ServerVersion.parse(defect.fix(version)).stream())
                .max(ServerVersion::compareTo)
                .orElseThrow();
        return Finding.advice(
                "version",
                "the version has known defects: " + text + ", defects=" + effects,
                "Upgrade to " + fixed.line() + "." + fixed.patch()
                        + " or later, unless the packager of the server has added the fixes to this version.");
    }

    private static Optional<Finding> mode(ServerState state) {
        String mode =
                state.fact("redis_mode").or(() -> state.fact("server_mode")).orElse("");
        if (mode.equals("cluster")) {
            return Optional.of(Finding.advice(
                    "role",
                    "the server is a node of a cluster, and the other findings concern this node only: mode=cluster",
                    "Load with -c or redis-cluster://, and examine each node."));
        }
        if (mode.equals("sentinel")) {
            return Optional.of(Finding.problem(
                    "role",
                    "rows cannot be loaded into a Sentinel: mode=sentinel",
                    "Name the server that the Sentinel watches."));
        }
        if (state.fact("role").equals(Optional.of("slave"))) {
            return Optional.of(Finding.problem(
                    "role",
                    "the server is a replica, and refuses writes: primary="
                            + state.fact("master_host").orElse("unknown") + ":"
                            + state.fact("master_port").orElse("unknown"),
                    "Load into the primary."));
        }
        if (state.number("loading").orElse(0) > 0) {
            return Optional.of(Finding.problem(
                    "role",
                    "the server is still loading its data, and refuses writes",
                    "Wait until it has loaded them."));
        }
        return replicas(state);
    }

    private static Optional<Finding> replicas(ServerState state) {
        long needed = state.numberOfSetting("min-replicas-to-write").orElse(0);
        long good = state.number("min_slaves_good_slaves").orElse(needed);
        return good < needed
                ? Optional.of(Finding.problem(
                        "role",
                        "the server refuses writes (NOREPLICAS): good replicas=" + good + ", min-replicas-to-write="
                                + needed,
                        "Repair the replicas, or lower min-replicas-to-write."))
                : Optional.empty();
    }
}
