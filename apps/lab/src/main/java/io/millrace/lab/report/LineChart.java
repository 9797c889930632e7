// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** Lines over a linear x axis. The axis begins at zero, except for steps of a distribution. */
record LineChart(String xLabel, String yLabel, boolean isLogarithmic, List<Line> lines) {

    private static final int LEFT = 64;
    private static final int RIGHT = 28;
    private static final int PLOT_HEIGHT = 180;
    private static final int LEGEND_LINE = 18;
    private static final int MARK = 22;

    /**
     * One line.
     *
     * @param style class of the style sheet for the colour
     * @param dashes 0 for a solid line, otherwise one of three patterns
     * @param isStep whether the line has steps, as a distribution
     */
    record Line(String name, String style, int dashes, boolean isStep, List<Point> points) {}

    record Point(double x, double y) {}

    Svg draw(int width) {
        int legendHeight = legend(new Svg(width, 0));
        var svg = new Svg(width, legendHeight + PLOT_HEIGHT + 58);
        legend(svg);
        int top = legendHeight + 22;
        Axis x = lines.stream().anyMatch(Line::isStep)
                ? Axis.span(min(Point::x), max(Point::x), LEFT, width - RIGHT)
                : Axis.linear(max(Point::x), LEFT, width - RIGHT);
        Axis y = isLogarithmic
                ? Axis.logarithmic(min(Point::y), max(Point::y), top + PLOT_HEIGHT, top)
                : Axis.linear(max(Point::y), top + PLOT_HEIGHT, top);
        svg.text(0, top - 8.0, "start", "caption", Svg.cut(yLabel, width));
        for (double tick : y.ticks(4)) {
            svg.line(LEFT, y.at(tick), width - RIGHT, y.at(tick), "grid")
                    .text(LEFT - 6.0, y.at(tick) + 4, "end", "tick", Formats.number(tick));
        }
        for (double tick : x.ticks(width < 480 ? 4 : 8)) {
            svg.text(x.at(tick), top + PLOT_HEIGHT + 16.0, "middle", "tick", Formats.number(tick));
        }
        svg.text(width - RIGHT, svg.height() - 4.0, "end", "caption", Svg.cut(xLabel, width));
        lines.forEach(line -> draw(svg, x, y, line));
        return svg;
    }

    private static void draw(Svg svg, Axis x, Axis y, Line line) {
        var path = new StringBuilder();
        double lastY = 0;
        for (Point point : line.points()) {
            double pixel = y.at(point.y());
            if (line.isStep() && !path.isEmpty()) {
                path.append('L')
                        .append(Svg.coordinate(x.at(point.x())))
                        .append(' ')
                        .append(Svg.coordinate(lastY));
            }
            path.append(path.isEmpty() ? 'M' : 'L')
                    .append(Svg.coordinate(x.at(point.x())))
                    .append(' ')
                    .append(Svg.coordinate(pixel));
            lastY = pixel;
        }
        svg.path(path.toString(), "line " + line.style() + dashes(line));
        if (line.points().size() < 40) {
            line.points()
                    .forEach(point -> svg.circle(
                            x.at(point.x()),
                            y.at(point.y()),
                            2.5,
                            "dot " + line.style(),
                            line.name() + ": " + Formats.number(point.x()) + ", " + Formats.number(point.y())));
        }
    }

    private static String dashes(Line line) {
        return line.dashes() == 0 ? "" : " dashed-" + ((line.dashes() - 1) % 3 + 1);
    }

    /** Draws the names of the lines, as many in a row as fit. Returns the height. */
    private int legend(Svg svg) {
        double x = 0;
        int row = 0;
        for (Line line : lines) {
            String name = Svg.cut(line.name(), svg.width() - MARK);
            double needed = MARK + Svg.widthOf(name) + 12;
            if (x > 0 && x + needed > svg.width()) {
                x = 0;
                row++;
            }
            double y = row * (double) LEGEND_LINE;
            svg.line(x, y + 9, x + MARK - 6, y + 9, "line " + line.style() + dashes(line))
                    .text(x + MARK, y + 13, "start", "label", name);
            x += needed;
        }
        return (row + 1) * LEGEND_LINE;
    }

    private double max(ToDoubleFunction<Point> value) {
        return points().mapToDouble(value).max().orElse(1);
    }

    /** The smallest positive value. */
    private double min(ToDoubleFunction<Point> value) {
        return points().mapToDouble(value).filter(number -> number > 0).min().orElse(1);
    }

    private Stream<Point> points() {
        return lines.stream().flatMap(line -> line.points().stream());
    }
}
