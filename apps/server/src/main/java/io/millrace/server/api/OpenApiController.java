// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The description of the routes. */
@RestController
class OpenApiController {

    @GetMapping("/openapi.yaml")
    ResponseEntity<Resource> description() {
        return ResponseEntity.ok()
                .contentType(new MediaType("application", "yaml"))
                .body(new ClassPathResource("openapi.yaml"));
    }
}
