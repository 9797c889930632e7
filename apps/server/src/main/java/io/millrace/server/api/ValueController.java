// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.cache.CachedEntry;
import io.millrace.cache.LoadingCache;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Slow values, each computed once however many clients ask. */
@RestController
class ValueController {

    private final LoadingCache<String> values;
    private final Answers answers;

    ValueController(LoadingCache<String> values, Answers answers) {
        this.values = values;
        this.answers = answers;
    }

    /** A value. */
    record ValueView(String key, String value) {}

    /** Writes the answer itself: most requests are for values, and a {@code ResponseEntity} passes through more layers. */
    @GetMapping("/value/{key}")
    @Forms({Forms.TEXT, Forms.JSON})
    void value(@PathVariable String key, HttpServletRequest request, HttpServletResponse response) throws IOException {
        CachedEntry<String> entry = values.lookup(Names.check("key", key));
        String value = entry.value().orElseThrow();
        Answers.Body body = answers.body(request, value, new ValueView(key, value));
        response.setHeader("Cache-Status", cacheStatus(entry));
        body.writeTo(response);
    }

    /** The form of RFC 9211. A stale value is a hit whose time to live is negative. */
    static String cacheStatus(CachedEntry<?> entry) {
        String ttl = entry.timeLeft()
                .map(left -> "; ttl=" + Math.floorDiv(left.toMillis(), 1_000))
                .orElse("");
        return switch (entry.state()) {
            case LOADED -> "Millrace; fwd=miss";
            case FRESH, NEGATIVE, FAILED -> "Millrace; hit" + ttl;
            case STALE -> "Millrace; hit" + ttl + "; detail=stale";
        };
    }
}
