// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.command.Fusion;
import io.millrace.load.ExitCode;
import io.millrace.load.LoadPlan;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowReader;
import io.millrace.load.target.RowMapping;
import java.io.PrintStream;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;

/** Prints the commands that a load would send for its first rows. Does not contact Redis. */
final class ExplainRun {

    private static final int ROWS = 3;

    private final LoadPlan plan;
    private final PrintStream out;

    /** Whether a complete command was printed. Later rows repeat it, as a connection of a load does. */
    private boolean printedComplete;

    ExplainRun(LoadPlan plan, PrintStream out) {
        this.plan = plan;
        this.out = out;
    }

    /** Opens the source, reads at most three rows, and closes the source. */
    ExitCode run() {
        try (RowReader reader = plan.source().open()) {
            RowMapping mapping = plan.target().bind(reader.columns());
            Row row = new Row();
            long rows = Math.min(ROWS, plan.options().limit().orElse(ROWS));
            for (long i = 0; i < rows && reader.next(row); i++) {
                out.println(explain(mapping, row));
            }
            if (plan.options().fusion() && !mapping.fusion().isEmpty()) {
                out.println("# " + fusion(mapping) + "; with --no-fusion each row is a separate command");
            }
        }
        out.flush();
        return ExitCode.OK;
    }

    /**
     * Describes how adjacent commands would be fused. The version of the server is unknown, because the server is not
     * contacted. So the text names the versions that support the fusion.
     */
    private String fusion(RowMapping mapping) {
        if (mapping.fusion().contains(Fusion.SCRIPT)) {
            return "adjacent rows become one EVALSHA";
        }
        if (mapping.fusion().contains(Fusion.SETBIT)) {
            return "adjacent rows of one key become one BITFIELD";
        }
        if (Collections.disjoint(mapping.fusion(), EnumSet.of(Fusion.SET, Fusion.SET_EXPIRING))) {
            return "adjacent rows of one key become one " + mapping.command().name();
        }
        return plan.target().options().ttl().isPresent()
                ? "adjacent rows become one MSETEX if the server has this command (Redis 8.4, Valkey 9.1)"
                : "adjacent rows become one MSET";
    }

    private String explain(RowMapping mapping, Row row) {
        Optional<Rejection> rejection = row.rejection().or(() -> mapping.prepare(row));
        if (rejection.isPresent()) {
            String place = row.file().isEmpty() ? plan.source().name() : row.file();
            String position = row.line() > 0 ? place + ":" + row.line() : place + ", row " + row.number();
            return "# rejected: " + position + ": " + rejection.get().reason().code() + ": "
                    + rejection.get().message();
        }
        if (printedComplete) {
            RedisCliFormatter repeated =
                    new RedisCliFormatter(mapping.repeatedCommand().name());
            mapping.writeRepeated(row, repeated);
            return repeated.toString();
        }
        printedComplete = true;
        RedisCliFormatter command = new RedisCliFormatter(mapping.command().name());
        mapping.write(row, command);
        return command.toString();
    }
}
