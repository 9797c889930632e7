// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import java.util.Locale;

/**
 * A drawing in SVG. All lengths are in pixels. Colours come from classes, so the page and a file can have different
 * style sheets.
 */
final class Svg {

    /** Width of one character of the text of charts, at most on average. The text has 12 pixels. */
    static final double CHARACTER = 6.9;

    /** At both sides of a file. Some letters, such as j, begin left of their place. */
    private static final int MARGIN = 4;

    private final StringBuilder body = new StringBuilder();
    private final int width;
    private int height;

    Svg(int width, int height) {
        this.width = width;
        this.height = height;
    }

    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /** {@code text} without the end that is wider than {@code pixels}. */
    static String cut(String text, double pixels) {
        int fitting = (int) (pixels / CHARACTER);
        return text.length() <= fitting ? text : text.substring(0, Math.max(0, fitting - 1)) + "…";
    }

    static double widthOf(String text) {
        return text.length() * CHARACTER;
    }

    int width() {
        return width;
    }

    int height() {
        return height;
    }

    /** Anchor is {@code start}, {@code middle} or {@code end}. */
    Svg text(double x, double y, String anchor, String style, String text) {
        return add("<text x=\"%s\" y=\"%s\" text-anchor=\"%s\" class=\"%s\">%s</text>", x, y, anchor, style, text);
    }

    Svg line(double x1, double y1, double x2, double y2, String style) {
        return add("<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" class=\"%s\"/>", x1, y1, x2, y2, style);
    }

    Svg circle(double x, double y, double radius, String style, String tooltip) {
        return add(
                "<circle cx=\"%s\" cy=\"%s\" r=\"%s\" class=\"%s\"><title>%s</title></circle>",
                x, y, radius, style, tooltip);
    }

    Svg path(String commands, String style) {
        return add("<path d=\"%s\" class=\"%s\"/>", commands, style);
    }

    private Svg add(String format, Object... values) {
        Object[] texts = new Object[values.length];
        for (int i = 0; i < values.length; i++) {
            texts[i] = values[i] instanceof Double number ? coordinate(number) : escape(String.valueOf(values[i]));
        }
        body.append(String.format(Locale.ROOT, format, texts)).append('\n');
        return this;
    }

    static String coordinate(double value) {
        String text = String.format(Locale.ROOT, "%.1f", value);
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }

    /** Puts {@code other} below everything that is there. */
    Svg append(Svg other) {
        body.append("<g transform=\"translate(0 ")
                .append(height)
                .append(")\">\n")
                .append(other.body)
                .append("</g>\n");
        height += other.height;
        return this;
    }

    /** The element for a page. */
    String inline(String style, String description) {
        return String.format(
                Locale.ROOT,
                "<svg class=\"%s\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">%n%s</svg>%n",
                style,
                width,
                height,
                width,
                height,
                escape(description),
                body);
    }

    /** A separate file with {@code css}. */
    String file(String css, String description) {
        int wider = width + 2 * MARGIN;
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + wider + "\" height=\"" + height
                + "\" viewBox=\"-" + MARGIN + " 0 " + wider + " " + height + "\" role=\"img\">\n<title>"
                + escape(description) + "</title>\n<style>\n" + css + "</style>\n<rect class=\"paper\" x=\"-" + MARGIN
                + "\" width=\"100%\" height=\"100%\"/>\n" + body + "</svg>\n";
    }
}
