// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.statistics.Estimate;
import java.util.Comparator;
import java.util.List;

/**
 * A dot with an interval for each contender, on a linear axis that begins at zero.
 *
 * <p>The axis ends before an outlier. An outlier is four times as large as the next value if it is above 1, and 20 times
 * otherwise. Its dot becomes an arrow at the end of the axis, so the other dots keep their distances.
 *
 * @param caption says what 1 is
 */
record DotChart(String caption, List<Dot> dots, boolean hasLineAtOne) {

    private static final int MAX_LABEL = 215;
    private static final int MIN_VALUE = 150;
    private static final int NARROW = 480;
    private static final double GAP_ABOVE_ONE = 4;
    private static final double GAP = 20;

    /**
     * A row of the chart.
     *
     * @param isHollow for a contender that is not compared
     * @param text the value with its interval
     */
    record Dot(String label, String library, Estimate value, boolean isHollow, String text) {}

    /** The verified rows of {@code scenario}, relative to the best row. */
    static DotChart of(ComparedScenario scenario, List<Row> rows) {
        Row best = scenario.best().orElseThrow();
        Estimate one = Estimate.of(best.measured(), Report.SEED);
        List<Dot> dots = rows.stream()
                .filter(row -> row.isVerified() && row.measured().count() > 0)
                .map(row -> dot(scenario, row, best, one.median()))
                .toList();
        String direction = scenario.lessIsBetter() ? "; less is better" : "";
        return new DotChart("1 = " + Formats.number(one.median()) + " " + scenario.measure() + direction, dots, false);
    }

    private static Dot dot(ComparedScenario scenario, Row row, Row best, double one) {
        Estimate value = Estimate.of(row.measured(), Report.SEED).dividedBy(one);
        String text = Formats.ratio(value);
        return new Dot(
                row.label(),
                row.library(),
                value,
                !row.isCompared(),
                row.equals(best) ? text : Formats.ratioToBest(scenario.toBest(row, best), text));
    }

    Svg draw(int width) {
        boolean isNarrow = width < NARROW;
        int rowHeight = isNarrow ? 38 : 22;
        double value = Math.max(
                MIN_VALUE,
                dots.stream().mapToDouble(dot -> Svg.widthOf(dot.text())).max().orElse(0));
        double label = Math.min(
                MAX_LABEL,
                dots.stream().mapToDouble(dot -> Svg.widthOf(dot.label())).max().orElse(0));
        var svg = new Svg(width, rowHeight * dots.size() + 44);
        Axis axis = Axis.linear(axisEnd(), isNarrow ? 8 : label + 16, isNarrow ? width - 16 : width - value - 12);
        grid(svg, axis, rowHeight);
        for (int i = 0; i < dots.size(); i++) {
            Dot dot = dots.get(i);
            double top = i * (double) rowHeight;
            double middle = top + (isNarrow ? 28 : 11);
            double room = isNarrow ? width - value - 8 : label;
            svg.text(0, top + 15, "start", "label", Svg.cut(dot.label(), room + Svg.CHARACTER));
            svg.text(width, top + 15, "end", dot.text().startsWith("≈") ? "value tied" : "value", dot.text());
            draw(svg, axis, dot, middle);
        }
        return svg.text(0, svg.height() - 6.0, "start", "caption", Svg.cut(caption, width));
    }

    /** Draws the lines of the axis next to the texts of each row, never through the texts. */
    private void grid(Svg svg, Axis axis, int rowHeight) {
        boolean isNarrow = svg.width() < NARROW;
        int bottom = rowHeight * dots.size();
        for (double tick : axis.ticks(isNarrow ? 4 : 5)) {
            String style = hasLineAtOne && Math.abs(tick - 1) < 1e-9 ? "rule" : "grid";
            for (int top = 0; top < bottom; top += rowHeight) {
                svg.line(axis.at(tick), top + (isNarrow ? 20.0 : 0), axis.at(tick), top + (double) rowHeight, style);
            }
            svg.text(axis.at(tick), bottom + 16.0, "middle", "tick", Formats.number(tick));
        }
    }

    private static void draw(Svg svg, Axis axis, Dot dot, double y) {
        String style = Palette.styleOf(dot.library()) + (dot.isHollow() ? " hollow" : "");
        String tooltip = dot.label() + ": " + dot.text();
        if (dot.value().median() > axis.to()) {
            double x = axis.at(axis.to());
            svg.path("M" + Svg.coordinate(x - 8) + " " + Svg.coordinate(y - 5) + "l10 5l-10 5z", "beyond " + style);
            return;
        }
        svg.line(axis.at(dot.value().low()), y, axis.at(dot.value().high()), y, "interval " + style)
                .circle(axis.at(dot.value().median()), y, 4.5, "dot " + style, tooltip);
    }

    /** The largest value that is drawn in its place. */
    private double axisEnd() {
        List<Double> highs = dots.stream()
                .map(dot -> dot.value().median())
                .sorted(Comparator.reverseOrder())
                .toList();
        int first = 0;
        for (int i = 0; i < highs.size() / 2; i++) {
            double gap = highs.get(i) > 1 ? GAP_ABOVE_ONE : GAP;
            if (highs.get(i) > gap * highs.get(i + 1)) {
                first = i + 1;
            }
        }
        double end = highs.isEmpty() ? 1 : highs.get(first);
        double interval = dots.stream()
                .filter(dot -> dot.value().median() <= end)
                .mapToDouble(dot -> dot.value().high())
                .max()
                .orElse(end);
        return Math.max(hasLineAtOne ? 1 : 0, Math.min(interval, 2 * end));
    }
}
