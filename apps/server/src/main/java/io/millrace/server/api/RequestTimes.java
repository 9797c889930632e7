// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Counts and times the requests, in the meter {@code http.server.requests} of Spring Boot. An observation of Spring Boot would
 * create its tags for each request; here each combination of method, route and status has one timer.
 */
public final class RequestTimes implements Filter {

    /** Clients can send any method, and each tag takes memory. */
    private static final Set<String> METHODS =
            Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT");

    private final Map<Kind, Timer> timers = new ConcurrentHashMap<>();
    private final MeterRegistry meters;

    /** Requests of one timer. */
    private record Kind(String method, String route, int status) {}

    public RequestTimes(MeterRegistry meters) {
        this.meters = meters;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain next)
            throws IOException, ServletException {
        long start = System.nanoTime();
        try {
            next.doFilter(request, response);
        } finally {
            long nanos = System.nanoTime() - start;
            timers.computeIfAbsent(kind((HttpServletRequest) request, (HttpServletResponse) response), this::timer)
                    .record(nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** The route is the pattern of the path: a request that reaches no route has none. */
    private static Kind kind(HttpServletRequest request, HttpServletResponse response) {
        String method = METHODS.contains(request.getMethod()) ? request.getMethod() : "UNKNOWN";
        Object pattern = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
        return new Kind(method, pattern == null ? "UNKNOWN" : pattern.toString(), response.getStatus());
    }

    private Timer timer(Kind kind) {
        return Timer.builder("http.server.requests")
                .tag("method", kind.method)
                .tag("uri", kind.route)
                .tag("status", Integer.toString(kind.status))
                .tag("outcome", outcome(kind.status))
                .register(meters);
    }

    private static String outcome(int status) {
        return switch (status / 100) {
            case 1 -> "INFORMATIONAL";
            case 2 -> "SUCCESS";
            case 3 -> "REDIRECTION";
            case 4 -> "CLIENT_ERROR";
            default -> "SERVER_ERROR";
        };
    }
}
