// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import io.millrace.lab.run.LabException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The lab's JSON as a page for people: one HTML file that needs no network.
 *
 * <p>DESIGN. Nothing of the JSON becomes HTML. It goes into a data block, in which the characters that could end it are
 * escaped; the page's own script reads it there and puts all text into the document as text. Should that ever fail, the
 * page's policy still lets no script and no style sheet run but the four that are written here, each named by its hash,
 * and nothing be loaded at all.
 *
 * <pre>
 *   page.html   {{policy}}  {{chart-style}} {{style}}   {{json}}   {{chart-licence}} {{chart}}   {{script}}
 *                  hashes    uplot/*.css    page.css   escaped      uplot/LICENSE   uplot/*.js   script/*.js
 * </pre>
 */
public final class Page {

    /** In this order: each uses what stands before it. */
    private static final List<String> SCRIPTS = List.of(
            "format",
            "elements",
            "report",
            "palette",
            "plots",
            "bars",
            "lines",
            "curves",
            "tasks",
            "memory",
            "cache",
            "bitmaps",
            "tables",
            "experiments",
            "main");

    private static final Pattern PLACE = Pattern.compile("\\{\\{([a-z-]+)}}");

    /**
     * The page that shows {@code json}. The text is kept as it is inside the page, but for characters that HTML would
     * take for its own, which are escaped as JSON allows.
     *
     * @param json one object, as {@code --json} prints it; fields may be null or missing
     * @throws LabException if it is anything else
     */
    public static String of(String json) {
        requireObject(json);
        var chartStyle = resource("uplot/uPlot.min.css");
        var style = resource("page.css");
        var chart = resource("uplot/uPlot.iife.min.js");
        var script = SCRIPTS.stream()
                .map(name -> resource("script/" + name + ".js"))
                .collect(Collectors.joining("\n", "\n", ""));
        var pieces = Map.of(
                "policy", policy(List.of(chart, script), List.of(chartStyle, style)),
                "chart-style", chartStyle,
                "style", style,
                "chart-licence", resource("uplot/LICENSE"),
                "chart", chart,
                "script", script,
                "json", inert(json));
        // One pass: what looks like a place inside a piece is not one.
        return PLACE.matcher(resource("page.html")).replaceAll(place -> piece(pieces, place));
    }

    private static String piece(Map<String, String> pieces, MatchResult place) {
        var piece = pieces.get(place.group(1));
        if (piece == null) {
            throw new IllegalStateException("the template has a place without a piece: name=" + place.group(1));
        }
        return Matcher.quoteReplacement(piece);
    }

    private static void requireObject(String json) {
        JsonNode report;
        try {
            report = JsonMapper.shared().readTree(json);
        } catch (JacksonException e) {
            var where = e.getLocation();
            throw new LabException(
                    "the page cannot be made, the report is not JSON: line=" + where.getLineNr() + ", column="
                            + where.getColumnNr() + ". Give a file that the lab wrote with --report.",
                    e);
        }
        if (!report.isObject()) {
            throw new LabException("the page cannot be made, the report is not an object: type=" + report.getNodeType()
                    + ". Give a file that the lab wrote with --report.");
        }
    }

    /** Angle brackets and ampersands occur in strings only, where JSON knows another way to write them. */
    private static String inert(String json) {
        return json.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026");
    }

    private static String policy(List<String> scripts, List<String> styles) {
        return Stream.of(
                        "default-src 'none'",
                        "base-uri 'none'",
                        "form-action 'none'",
                        "script-src " + hashes(scripts),
                        "style-src " + hashes(styles))
                .collect(Collectors.joining("; "));
    }

    private static String hashes(List<String> texts) {
        return texts.stream().map(Page::hash).collect(Collectors.joining(" "));
    }

    private static String hash(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** With line feeds, as a browser sees it whatever the checkout made of them: the hashes are over that. */
    private static String resource(String name) {
        try (var in = Page.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("a part of the page is not on the class path: name=" + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("\r\n", "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Page() {}
}
