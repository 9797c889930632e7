// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.LoadEvent.Progress;
import io.millrace.load.LoadEvent.Verifying;
import io.millrace.load.RowCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Formats progress as text. The functions have no state. */
final class ProgressFormatter {

    private static final int SMALLEST_GAUGE = 10;
    private static final int LARGEST_GAUGE = 30;

    private ProgressFormatter() {}

    /**
     * Formats the progress bar of a load as a line of at most {@code width} characters. If {@code share} is known, the
     * line begins with a gauge. The facts about the load follow in the order of their importance, as many as fit into
     * the width.
     *
     * @param share the share that is done, 0.0 to 1.0; empty if the total is unknown
     */
    static String bar(Progress progress, OptionalDouble share, int width) {
        return bar("load  ", settled(progress.rows()), share, facts(progress, share), width);
    }

    /** Formats the progress bar of a verification. */
    static String bar(Verifying verifying, OptionalDouble share, int width) {
        return bar("verify", verifying.checked(), share, facts(verifying, share), width);
    }

    /** Formats a log line. */
    static String log(Progress progress, OptionalDouble share) {
        return log("load: ", settled(progress.rows()), share, facts(progress, share));
    }

    /** Formats a log line of a verification. */
    static String log(Verifying verifying, OptionalDouble share) {
        return log("verify: ", verifying.checked(), share, facts(verifying, share));
    }

    /** Formats the progress of a load as one JSON object on one line. */
    static String ndjson(Progress progress, OptionalDouble share) {
        RowCounts rows = progress.rows();
        return String.format(
                Locale.ROOT,
                "{\"phase\":\"load\",\"rows\":{\"read\":%d,\"written\":%d,\"rejected\":%d,\"skipped\":%d,\"unconfirmed\":%d},"
                        + "\"inFlight\":%d,\"bytesSent\":%d,\"seconds\":%.3f%s}",
                rows.read(),
                rows.written(),
                rows.rejected(),
                rows.skipped(),
                rows.unconfirmed(),
                progress.inFlight(),
                progress.bytesSent(),
                progress.seconds(),
                share(share));
    }

    /** Formats the progress of a verification as one JSON object on one line. */
    static String ndjson(Verifying verifying, OptionalDouble share) {
        return String.format(
                Locale.ROOT,
                "{\"phase\":\"verify\",\"checked\":%d,\"mismatched\":%d,\"seconds\":%.3f%s}",
                verifying.checked(),
                verifying.mismatched(),
                verifying.seconds(),
                share(share));
    }

    private static String share(OptionalDouble share) {
        return share.isPresent() ? String.format(Locale.ROOT, ",\"share\":%.3f", share.getAsDouble()) : "";
    }

    private static List<String> facts(Progress progress, OptionalDouble share) {
        List<String> facts = timing(settled(progress.rows()), share, progress.seconds());
        if (progress.rows().rejected() > 0) {
            facts.add(grouped(progress.rows().rejected()) + " rejected");
        }
        facts.add(grouped(progress.inFlight()) + " in flight");
        return facts;
    }

    private static List<String> facts(Verifying verifying, OptionalDouble share) {
        List<String> facts = timing(verifying.checked(), share, verifying.seconds());
        facts.add(grouped(verifying.mismatched()) + " differ");
        return facts;
    }

    private static List<String> timing(long done, OptionalDouble share, double seconds) {
        List<String> facts = new ArrayList<>();
        double perSecond = seconds > 0 ? done / seconds : 0;
        facts.add(grouped(Math.round(perSecond)) + " rows/s");
        if (share.isPresent() && share.getAsDouble() > 0) {
            double left = seconds * (1 - share.getAsDouble()) / share.getAsDouble();
            facts.add("ETA " + clock(Math.ceil(left)));
        } else {
            facts.add(clock(seconds));
        }
        return facts;
    }

    private static String bar(String phase, long done, OptionalDouble share, List<String> facts, int width) {
        StringBuilder line = new StringBuilder(phase);
        if (share.isPresent()) {
            int gauge = Math.clamp(width / 4, SMALLEST_GAUGE, LARGEST_GAUGE);
            line.append(String.format(Locale.ROOT, " %3d%% ", percent(share.getAsDouble())))
                    .append(gauge(share.getAsDouble(), gauge));
        }
        appendFitting(line, grouped(done) + " rows", width);
        for (String fact : facts) {
            appendFitting(line, fact, width);
        }
        return line.length() > width ? line.substring(0, Math.max(0, width)) : line.toString();
    }

    private static String log(String phase, long done, OptionalDouble share, List<String> facts) {
        String part = share.isPresent() ? " (" + percent(share.getAsDouble()) + "%)" : "";
        return phase + grouped(done) + " rows" + part + ", " + String.join(", ", facts);
    }

    private static void appendFitting(StringBuilder line, String fact, int width) {
        if (line.length() + 2 + fact.length() <= width) {
            line.append("  ").append(fact);
        }
    }

    private static String gauge(double share, int width) {
        int filled = (int) (share * width);
        String head = filled == 0 ? "" : filled == width ? "=" : ">";
        return "[" + "=".repeat(Math.max(0, filled - 1)) + head + " ".repeat(width - filled) + "]";
    }

    /** Rounds down, so that 100 means complete. */
    private static int percent(double share) {
        return (int) (share * 100);
    }

    private static long settled(RowCounts rows) {
        return rows.read() - rows.inFlight();
    }

    private static String grouped(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** Formats seconds as a clock time, such as {@code 0:07} or {@code 1:02:03}. */
    private static String clock(double seconds) {
        long whole = (long) Math.min(seconds, Long.MAX_VALUE);
        long hours = whole / 3600;
        return hours > 0
                ? String.format(Locale.ROOT, "%d:%02d:%02d", hours, whole / 60 % 60, whole % 60)
                : String.format(Locale.ROOT, "%d:%02d", whole / 60, whole % 60);
    }
}
