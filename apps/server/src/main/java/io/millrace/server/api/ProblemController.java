// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.server.gate.Problem;
import io.millrace.server.gate.Refusal;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** The pages that explain the errors. */
@RestController
class ProblemController {

    @GetMapping("/problems/{slug}")
    @Forms(Forms.HTML)
    ResponseEntity<byte[]> page(@PathVariable String slug, HttpServletRequest request) {
        Problem problem = Problem.ofSlug(slug)
                .orElseThrow(() -> new Refusal(Problem.NOT_FOUND, "There is no such kind of error."));
        String page = """
                <!doctype html>
                <html lang="en"><meta charset="utf-8"><title>%1$d %2$s</title>
                <h1>%1$d: %2$s</h1>
                <p>%3$s</p>
                </html>
                """.formatted(
                        problem.status(), problem.title(), problem.explanation().replace("\"", "&quot;"));
        return ResponseEntity.ok().contentType(ChosenForm.of(request)).body(page.getBytes(StandardCharsets.UTF_8));
    }
}
