// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.server.gate.Problem;
import io.millrace.server.gate.Refusal;
import java.io.IOException;
import java.util.Set;
import org.springframework.core.io.ClassPathResource;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/**
 * The files of the dashboard. They contain no data of the server, so they need no token. Only listed files are served, so no
 * name leads out of their folder.
 */
@RestController
class DashboardController {

    private static final String FOLDER = "dashboard/";
    private static final String JAVASCRIPT = "text/javascript;charset=UTF-8";
    private static final String CSS = "text/css;charset=UTF-8";
    private static final String SVG = "image/svg+xml";

    static final Set<String> FILES = Set.of(
            "api.js",
            "bitmaps.js",
            "caches.js",
            "chart.js",
            "dom.js",
            "experiments.js",
            "format.js",
            "icon.svg",
            "live.js",
            "loadcard.js",
            "loadpage.js",
            "loads.js",
            "main.js",
            "overview.js",
            "repeat.js",
            "samples.js",
            "server.js",
            "signin.js",
            "stream.js",
            "style.css",
            "uPlot.LICENSE.txt",
            "uPlot.iife.min.js",
            "uPlot.min.css");

    @GetMapping("/")
    @Forms(Forms.HTML)
    ResponseEntity<byte[]> page() throws IOException {
        return file("index.html");
    }

    /** A file has one form. A client that accepts another form of this list gets the file, too. */
    @GetMapping("/dashboard/{file}")
    @Forms({JAVASCRIPT, CSS, SVG, Forms.TEXT})
    ResponseEntity<byte[]> part(@PathVariable String file) throws IOException {
        if (!FILES.contains(file)) {
            throw new Refusal(Problem.NOT_FOUND, Problem.NOT_FOUND.title());
        }
        return file(file);
    }

    /** Answers with bytes: of a {@code Resource}, Spring would also answer with ranges. */
    private static ResponseEntity<byte[]> file(String name) throws IOException {
        return ResponseEntity.ok()
                .contentType(type(name))
                .body(new ClassPathResource(FOLDER + name).getContentAsByteArray());
    }

    private static MediaType type(String name) {
        return MediaType.parseMediaType(
                switch (name.substring(name.lastIndexOf('.') + 1)) {
                    case "html" -> Forms.HTML;
                    case "js" -> JAVASCRIPT;
                    case "css" -> CSS;
                    case "svg" -> SVG;
                    default -> Forms.TEXT;
                });
    }
}
