// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import java.util.Map;

/**
 * The results of a run in all forms.
 *
 * <p>DESIGN. The JSON object is the only source of the other forms. So a table or a page can be made long after the
 * run, and an old record is shown by the newest program. The JSON has the samples of all rounds. Medians and intervals
 * are calculated from these samples, with a fixed seed, so the same record always has the same intervals.
 *
 * <pre>
 *   MeasuredRun -> JsonWriter -> JSON -> ReadReport -> Findings, Tables (terminal)
 *                                                   -> Page (HTML with SVG charts)
 *                                                   -> Markdown (blocks of a document, SVG files)
 *                                                   -> Comparison (two records)
 * </pre>
 */
public final class Report {

    /** The file of a record with the output of {@code millrace lab micro}. */
    public static final String MICRO = "micro.txt";

    /** The seed of all intervals. */
    static final long SEED = 42;

    /** The JSON object of {@code run}, over several lines. */
    public static String json(MeasuredRun run) {
        return JsonWriter.write(run);
    }

    /** Findings, bars and tables as text for a terminal. */
    public static String text(String json) {
        return Tables.of(ReadReport.parse(json));
    }

    /** One HTML file that needs no network and no script. */
    public static String html(String json) {
        return Page.of(ReadReport.parse(json));
    }

    /**
     * {@code document} with the contents of all marked places written again. See {@link Markdown}.
     *
     * @param record the folder of the record, relative to the document
     * @param hasMicro whether the record has the file {@link #MICRO}
     */
    public static String markdown(String document, String json, String record, boolean hasMicro) {
        return new Markdown(ReadReport.parse(json), record, hasMicro).renew(document);
    }

    /** SVG files for documents, by file name: one for each experiment. */
    public static Map<String, String> pictures(String json) {
        return new Markdown(ReadReport.parse(json), "", false).pictures();
    }

    /** The files of a record, by name. The JSON has the environment, the command and every sample. */
    public static Map<String, String> record(String json) {
        return Map.of("report.json", json + "\n", "table.txt", text(json), "report.html", html(json));
    }

    private Report() {}
}
