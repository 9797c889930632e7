// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.server.gate.Problem;
import io.millrace.server.gate.Refusal;
import java.util.Set;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
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
    ResponseEntity<Resource> page() {
        return file("index.html");
    }

    @GetMapping("/dashboard/{file}")
    ResponseEntity<Resource> part(@PathVariable String file) {
        if (!FILES.contains(file)) {
            throw new Refusal(Problem.NOT_FOUND, Problem.NOT_FOUND.title());
        }
        return file(file);
    }

    private static ResponseEntity<Resource> file(String name) {
        return ResponseEntity.ok().contentType(type(name)).body(new ClassPathResource(FOLDER + name));
    }

    private static MediaType type(String name) {
        return MediaType.parseMediaType(
                switch (name.substring(name.lastIndexOf('.') + 1)) {
                    case "html" -> "text/html;charset=UTF-8";
                    case "js" -> "text/javascript;charset=UTF-8";
                    case "css" -> "text/css;charset=UTF-8";
                    case "svg" -> "image/svg+xml";
                    default -> "text/plain;charset=UTF-8";
                });
    }
}
