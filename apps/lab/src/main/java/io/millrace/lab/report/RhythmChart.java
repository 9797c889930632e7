// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** When batches were produced and tasks consumed: a track for each contender, over the time of the slowest. */
record RhythmChart(List<Row> rows) {

    private static final int TRACK = 44;

    /** The rows of {@code scenario} that have a trace. */
    static RhythmChart of(ComparedScenario scenario) {
        return new RhythmChart(
                scenario.rows().stream().filter(row -> row.json().has("trace")).toList());
    }

    Svg draw(int width) {
        var svg = new Svg(width, TRACK * rows.size() + 40);
        Axis axis = Axis.linear(lastMillis() / 1e3, 8, width - 24.0);
        double bottom = TRACK * (double) rows.size();
        for (double tick : axis.ticks(width < 480 ? 4 : 8)) {
            for (int i = 0; i < rows.size(); i++) {
                svg.line(axis.at(tick), i * (double) TRACK + 18, axis.at(tick), (i + 1.0) * TRACK, "grid");
            }
            svg.text(axis.at(tick), bottom + 16, "middle", "tick", Formats.number(tick));
        }
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            double top = i * (double) TRACK;
            JsonNode trace = row.json().path("trace");
            svg.text(0, top + 14, "start", "label", Svg.cut(row.label(), width));
            svg.path(marks(trace.path("producedMillis"), axis, top + 19, 8), "mark produced");
            svg.path(marks(trace.path("consumedMillis"), axis, top + 29, 8), "mark " + Palette.styleOf(row.library()));
        }
        return svg.text(
                0,
                svg.height() - 6.0,
                "start",
                "caption",
                Svg.cut("seconds; grey: a batch is produced; colour: tasks are consumed", width));
    }

    private static String marks(JsonNode millis, Axis axis, double top, int height) {
        var path = new StringBuilder();
        for (JsonNode time : millis) {
            path.append('M')
                    .append(Svg.coordinate(axis.at(time.asDouble(0) / 1e3)))
                    .append(' ')
                    .append(Svg.coordinate(top))
                    .append('v')
                    .append(height);
        }
        return path.toString();
    }

    private double lastMillis() {
        return rows.stream()
                .flatMap(row -> Stream.concat(
                        row.json().path("trace").path("producedMillis").valueStream(),
                        row.json().path("trace").path("consumedMillis").valueStream()))
                .mapToDouble(time -> time.asDouble(0))
                .max()
                .orElse(1);
    }
}
