// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.server.loads.EventStreams;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The counters every second: first the history of ten minutes, then each new sample. */
@RestController
class EventController {

    private final EventStreams streams;
    private final Samples samples;

    EventController(EventStreams streams, Samples samples) {
        this.streams = streams;
        this.samples = samples;
    }

    @GetMapping("/events")
    @Forms(Forms.EVENTS)
    void events(HttpServletRequest request, HttpServletResponse response) throws IOException {
        streams.stream(request, response, samples::after);
    }
}
