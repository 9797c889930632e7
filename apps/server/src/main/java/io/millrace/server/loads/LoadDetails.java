// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import io.millrace.load.LoadReport;
import io.millrace.load.LoadReportJson;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What the load log keeps of a load in its file only.
 *
 * @param report the JSON of the command line; masked; null if there is none. If lists were cut, the member {@link #OMITTED}
 *     has the number of the elements that are missing
 * @param rejects the first rejected rows, a JSON object each
 */
public record LoadDetails(@Nullable JsonNode report, List<String> rejects) {

    /** A load without a report: it runs, or it was cut. */
    static final LoadDetails NONE = new LoadDetails(null, List.of());

    static final String OMITTED = "omitted";
    static final String REJECTS = "rejects";

    public LoadDetails {
        rejects = List.copyOf(rejects);
    }

    /** The report of a load that has ended, and its first rejected rows. */
    static LoadDetails of(LoadReport masked, int exit, List<String> rejects) {
        ObjectNode report = (ObjectNode) JsonMapper.shared().readTree(LoadReportJson.of(masked, exit));
        long missing = masked.rows().rejected() - rejects.size();
        if (missing > 0) {
            omit(report, REJECTS, missing);
        }
        return new LoadDetails(report, rejects);
    }

    /** Says in a report that {@code more} elements of a list are missing. */
    static void omit(ObjectNode report, String list, long more) {
        ObjectNode omitted = report.withObjectProperty(OMITTED);
        JsonNode before = omitted.get(list);
        omitted.put(list, (before == null ? 0 : before.asLong()) + more);
    }
}
