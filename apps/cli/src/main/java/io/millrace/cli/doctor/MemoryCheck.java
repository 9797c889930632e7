// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli.doctor;

import io.millrace.client.Setting.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Checks the memory of a server, and what the server does if its memory is full. */
final class MemoryCheck {

    /** A load that fills more than this share of the free memory leaves too little for estimation errors. */
    private static final double NEARLY_ALL = 0.8;

    private final ServerState state;
    private final OptionalLong used;
    private final long limit;
    private final OptionalLong machine;
    private final OptionalLong needed;

    private MemoryCheck(ServerState state, Optional<Sample> sample) {
        this.state = state;
        this.used = state.number("used_memory");
        this.limit = state.number("maxmemory").orElse(0);
        this.machine = state.number("total_system_memory");
        this.needed = sample.map(Sample::neededBytes).orElseGet(OptionalLong::empty);
    }

    static List<Finding> of(ServerState state, Optional<Sample> sample) {
        MemoryCheck check = new MemoryCheck(state, sample);
        if (check.used.isEmpty()) {
            return List.of(Finding.unknown(
                    "memory", "the server does not report its memory", "Give the user the permission +info."));
        }
        List<Finding> findings = new ArrayList<>();
        findings.add(check.memory());
        findings.add(check.eviction());
        sample.filter(each -> each.written() < each.rows())
                .ifPresent(each -> findings.add(Finding.advice(
                        "sample",
                        "the private server rejected some sample rows: rejected="
                                + Unit.COUNT.text(each.rows() - each.written()) + ", rows="
                                + Unit.COUNT.text(each.rows()),
                        "Run the load with --limit 10000 --dry-run, and look at the rejected rows.")));
        return findings;
    }

    private Finding memory() {
        long free = Math.max(0, (limit > 0 ? limit : machine.orElse(Long.MAX_VALUE)) - used.getAsLong());
        String values = values(free);
        if (needed.isPresent() && needed.getAsLong() > free) {
            String then = limit == 0
                    ? "the operating system will swap or end the server"
                    : policy().equals("noeviction") ? "rows will be refused (OOM)" : "keys will be evicted";
            return Finding.problem(
                    "memory",
                    "the rows do not fit, so " + then + ": " + values,
                    (limit == 0 ? "Use a machine with more memory" : "Raise maxmemory")
                            + ", or load fewer rows. Rows that replace existing keys need less.");
        }
        if (limit == 0) {
            return Finding.advice(
                    "memory",
                    "the server has no memory limit: " + values,
                    "Set maxmemory, so that a full server refuses rows instead of being ended by the operating system.");
        }
        if (needed.isPresent() && needed.getAsLong() > free * NEARLY_ALL) {
            return Finding.advice(
                    "memory",
                    "the rows need nearly all free memory: " + values,
                    "Raise maxmemory: buffers and the growth of tables need memory too.");
        }
        return Finding.ok("memory", (needed.isPresent() ? "the rows fit: " : "limited: ") + values);
    }

    private String values(long free) {
        String need = needed.isPresent() ? "needed=about " + megabytes(needed.getAsLong()) + ", " : "";
        // Without a limit, other programs of the machine use some of this memory.
        String known = free == Long.MAX_VALUE - used.getAsLong()
                ? ""
                : "free=" + (limit > 0 ? "" : "at most ") + megabytes(free) + ", ";
        return need + known + "used=" + megabytes(used.getAsLong()) + ", maxmemory="
                + (limit > 0 ? megabytes(limit) : "none")
                + (machine.isPresent() ? ", machine=" + megabytes(machine.getAsLong()) : "");
    }

    private Finding eviction() {
        long evicted = state.number("evicted_keys").orElse(0);
        String values = "maxmemory-policy=" + policy() + ", evicted_keys=" + Unit.COUNT.text(evicted);
        if (limit == 0 || policy().equals("noeviction")) {
            return Finding.ok("eviction", "the server evicts no keys: " + values);
        }
        return Finding.advice(
                "eviction",
                "if the memory is full, the server evicts "
                        + (policy().startsWith("volatile") ? "keys with an expiry" : "any keys")
                        + ", and written rows may be gone: " + values,
                "If each row must stay, choose the policy noeviction, and compare with --verify full after the load.");
    }

    private String policy() {
        return state.fact("maxmemory_policy").orElse("unknown");
    }

    static String megabytes(long bytes) {
        return Unit.BYTES.text(Math.max(1, Math.round(bytes / (double) (1 << 20))) << 20);
    }
}
