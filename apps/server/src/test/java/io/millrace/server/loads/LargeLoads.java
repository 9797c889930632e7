// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.load.ExitCode;
import io.millrace.load.LoadReport;
import io.millrace.load.LoadReport.Details;
import io.millrace.load.RowCounts;
import io.millrace.load.RowRange;
import io.millrace.load.target.Repetition;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Loads for tests of the load log. As a program, fills a log with loads of the maximum size, and reads them back. */
final class LargeLoads {

    /** With so many loads, the file would exceed its maximum, so the log replaces the file. */
    static final int LOADS = 1_200;

    private static final int ADDED = 100;

    private static final Instant NOON = Instant.parse("2026-11-22T12:00:00Z");

    private LargeLoads() {}

    static LoadRecord started(long id) {
        return LoadRecord.started(id, "job", LoadRequest.UNCHANGED, NOON);
    }

    static LoadRecord ended(long id) {
        return started(id).ended(NOON.plusSeconds(1), ExitCode.OK, null);
    }

    /** Details with this many rejected rows of 100 characters of three bytes, and this many ranges of unconfirmed rows. */
    static LoadDetails details(int rejects, int ranges) {
        List<String> lines = new ArrayList<>();
        for (int row = 0; row < rejects; row++) {
            lines.add("{\"row\":" + row + ",\"key\":\"" + "€".repeat(100) + "\"}");
        }
        List<RowRange> unconfirmed = new ArrayList<>();
        for (int i = 0; i < ranges; i++) {
            unconfirmed.add(new RowRange(1_000_000L + 10L * i, 1_000_001L + 10L * i, 1, 2, 1, ""));
        }
        LoadReport.Job job = new LoadReport.Job(LoadReport.Job.Kind.LOAD, "job", "job", NOON);
        LoadReport report = new LoadReport(
                new LoadReport.Ending.Completed(),
                job,
                new RowCounts(rejects, 0, rejects, 0, 0),
                CommandCounts.NONE,
                FusionCounts.NONE,
                1,
                1,
                1,
                1,
                new LoadReport.Times(1, 0, 0, 0),
                LoadReport.Bottleneck.SOURCE,
                Optional.empty(),
                Optional.empty(),
                new Details(
                        Optional.empty(),
                        unconfirmed,
                        0,
                        0,
                        List.of(),
                        Repetition.CHANGES_NOTHING,
                        Optional.empty(),
                        Optional.empty()));
        return LoadDetails.of(report, 0, lines);
    }

    /** Argument: the folder of the log. Most lines are written directly, because the log waits for the disk after each line. */
    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createDirectories(Path.of(arguments[0]));
        LoadDetails large = details(100, 300);
        String line = new String(LogLine.of(ended(1), large), StandardCharsets.UTF_8);
        try (Writer out = Files.newBufferedWriter(folder.resolve(LogFile.NAME))) {
            for (int id = 1; id <= LOADS - ADDED; id++) {
                out.write("{\"id\":" + id + line.substring(line.indexOf(',')));
            }
        }
        try (LoadLog log = LoadLog.open(folder)) {
            for (int id = LOADS - ADDED + 1; id <= LOADS; id++) {
                log.add(ended(id), large);
            }
        }
        try (LoadLog log = LoadLog.open(folder)) {
            long kept = log.newestFirst().stream()
                    .filter(load -> log.details(load.id())
                            .map(details -> details.report() != null)
                            .orElse(false))
                    .count();
            System.out.println("kept " + kept + " of " + LOADS);
        }
    }
}
