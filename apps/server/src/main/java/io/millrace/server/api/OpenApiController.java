// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import org.springframework.core.io.ClassPathResource;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The description of the routes. */
@RestController
class OpenApiController {

    /** Answers with bytes: of a {@code Resource}, Spring would also answer with ranges. */
    @GetMapping("/openapi.yaml")
    @Forms(Forms.YAML)
    ResponseEntity<byte[]> description(HttpServletRequest request) throws IOException {
        return ResponseEntity.ok()
                .contentType(ChosenForm.of(request))
                .body(new ClassPathResource("openapi.yaml").getContentAsByteArray());
    }
}
