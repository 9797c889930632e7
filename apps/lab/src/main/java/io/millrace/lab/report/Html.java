// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.report.Charts.Chart;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;

/**
 * A page as text. All text of a report goes through {@link Svg#escape}. The policy of the page forbids scripts, and
 * allows one style sheet by its hash, so text of a report could not run even without the escapes.
 */
final class Html {

    private static final int WIDE = 580;
    private static final int NARROW = 342;

    private final StringBuilder body = new StringBuilder();

    Html open(String tag, String style) {
        body.append('<')
                .append(tag)
                .append(style.isEmpty() ? "" : " class=\"" + style + "\"")
                .append(">\n");
        return this;
    }

    Html close(String tag) {
        body.append("</").append(tag).append(">\n");
        return this;
    }

    Html element(String tag, String style, String text) {
        body.append('<')
                .append(tag)
                .append(style.isEmpty() ? "" : " class=\"" + style + "\"")
                .append('>')
                .append(Svg.escape(text))
                .append("</")
                .append(tag)
                .append(">\n");
        return this;
    }

    /** A heading with an address, and the name on the command line next to the title. */
    Html heading(int level, String id, String title, String name) {
        body.append("<h")
                .append(level)
                .append(" id=\"")
                .append(Svg.escape(id))
                .append("\">")
                .append(Svg.escape(title))
                .append(name.equals(title) ? "" : " <span class=\"name\">" + Svg.escape(name) + "</span>")
                .append("</h")
                .append(level)
                .append(">\n");
        return this;
    }

    Html link(String id, String text) {
        body.append("<a href=\"#")
                .append(Svg.escape(id))
                .append("\">")
                .append(Svg.escape(text))
                .append("</a>\n");
        return this;
    }

    Html list(String tag, List<String> items) {
        open(tag, "");
        items.forEach(item -> element("li", "", item));
        return close(tag);
    }

    /** A table that scrolls in its own box. */
    Html table(List<String> headings, List<List<String>> rows) {
        body.append("<div class=\"scrolling\"><table><thead><tr>");
        headings.forEach(heading -> element("th", "", heading));
        body.append("</tr></thead><tbody>");
        for (List<String> row : rows) {
            body.append("<tr>");
            for (int i = 0; i < row.size(); i++) {
                element(i == 0 ? "th" : "td", "", row.get(i));
            }
            body.append("</tr>");
        }
        body.append("</tbody></table></div>\n");
        return this;
    }

    Html heat(HeatTable heat) {
        body.append("<div class=\"scrolling\"><table class=\"heat\"><thead><tr><th></th>");
        heat.libraries().forEach(library -> element("th", "", library));
        body.append("</tr></thead><tbody>");
        for (HeatTable.Line line : heat.lines()) {
            body.append("<tr><th>");
            link(line.scenario().id(), line.title()).body.append("</th>");
            for (int i = 0; i < line.cells().size(); i++) {
                String absence =
                        "<td class=\"muted\">" + line.absence(heat.libraries().get(i)) + "</td>";
                body.append(line.cells().get(i).map(cell -> heat(cell, line)).orElse(absence));
            }
            body.append("</tr>\n");
        }
        body.append("</tbody></table></div>\n");
        return this;
    }

    private static String heat(HeatTable.Cell cell, HeatTable.Line line) {
        return "<td class=\"h" + cell.level(line.scenario().lessIsBetter()) + "\" title=\""
                + Svg.escape(cell.row().label() + ": " + Formats.ratio(cell.ratio())) + "\">" + Svg.escape(cell.text())
                + "</td>";
    }

    /** The chart in two widths. The style sheet shows the width that fits. */
    Html chart(Chart chart, boolean hasCaption) {
        String tag = chart.isDistribution() ? "details" : "figure";
        String caption = chart.isDistribution() ? "summary" : "figcaption";
        open(tag, "chart");
        if (hasCaption) {
            element(caption, "", chart.title());
        }
        body.append(chart.draw().apply(WIDE).inline("wide", chart.title()))
                .append(chart.draw().apply(NARROW).inline("narrow", chart.title()));
        return close(tag);
    }

    String page(String title) {
        String css = resource("chart.css") + resource("page.css");
        return """
                <!DOCTYPE html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '%s'">
                <meta name="color-scheme" content="light dark">
                <title>%s</title>
                <style>%s</style>
                </head>
                <body>
                <main>
                %s</main>
                </body>
                </html>
                """.formatted(hash(css), Svg.escape(title), css, body);
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "sha256-" + Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** A style sheet, with the line ends that a browser sees, because the browser computes the hash of the text with its line ends. */
    static String resource(String name) {
        try (var in = Html.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("a part of the page is not on the class path: name=" + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("\r\n", "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
