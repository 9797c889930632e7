// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.gate;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides about each request before any route.
 *
 * <p>DESIGN. The checks are in an order in which an earlier check protects the later ones:
 *
 * <pre>
 *   security headers     each answer has them, also a refusal
 *   Host                 421  a page that points its own name at this server gets no answer at all
 *   path                 400  the checks and the routes read the same path
 *   origin               403  a foreign page cannot try tokens, and cannot read or use anything
 *   token or session     401  429 after ten wrong tokens
 *   size of the body     413  before the body is read, or while it is read if its length is unknown
 * </pre>
 *
 * <p>After the answer, the gate reads the rest of the body, so that a client that still sends receives the answer. The same
 * limits apply to the rest. If the body is longer, Tomcat closes the connection.
 *
 * <p>The gate runs on the thread of the request. Before the answer it blocks only for short locks.
 */
public final class Gate implements Filter {

    static final String COOKIE = "millrace-session";

    static final int BODY_BYTES = 64 * 1024;

    /** 10,000 marks of 100 bytes. */
    static final int MARKS_BYTES = 1024 * 1024;

    private static final Pattern MARKS = Pattern.compile("/activities/[^/]+/[^/]+/marks");
    private static final Pattern AMBIGUOUS = Pattern.compile("//|;|/(?:\\.|%2[eE]){1,2}(?:/|$)");
    private static final Set<String> HEALTH =
            Set.of("/actuator/health", "/actuator/health/liveness", "/actuator/health/readiness");
    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");
    private static final String BEARER = "bearer ";
    private static final System.Logger LOGGER = System.getLogger("io.millrace.server");

    private final HostNames hosts;
    private final @Nullable TokenCheck tokens;
    private final Sessions sessions;
    private final Duration bodyTime;
    private final LongSupplier nanoTime;

    public Gate(GateOptions options, Sessions sessions, LongSupplier nanoTime) {
        this.hosts = new HostNames(options.allowedHosts());
        this.tokens =
                options.token().map(token -> new TokenCheck(token, nanoTime)).orElse(null);
        this.sessions = sessions;
        this.bodyTime = options.bodyTime();
        this.nanoTime = nanoTime;
    }

    @Override
    public void doFilter(ServletRequest plainRequest, ServletResponse plainResponse, FilterChain routes)
            throws IOException {
        HttpServletRequest request = (HttpServletRequest) plainRequest;
        HttpServletResponse response = (HttpServletResponse) plainResponse;
        SecurityHeaders.write(response::setHeader);
        boolean hasBody = hasBody(request);
        int limit = hasBody && MARKS.matcher(request.getRequestURI()).matches() ? MARKS_BYTES : BODY_BYTES;
        LimitedRequest limited = hasBody ? new LimitedRequest(request, limit, bodyTime, nanoTime) : null;
        boolean tooLarge = limited != null && request.getContentLengthLong() > limit;
        try {
            check(request);
            if (tooLarge) {
                throw LimitedBody.tooLarge(limit);
            }
            routes.doFilter(limited == null ? request : limited, response);
        } catch (Refusal refusal) {
            refuse(response, refusal);
        } catch (ServletException | RuntimeException defect) {
            LOGGER.log(System.Logger.Level.ERROR, "a request failed: method=" + request.getMethod(), defect);
            refuse(response, new Refusal(Problem.INTERNAL, "The log of the server has the reason."));
        }
        // A client that expects 100 (Continue) does not send the body after a refusal.
        if (limited != null && !tooLarge && request.getHeader("Expect") == null && limited.hasRest()) {
            response.flushBuffer();
            limited.drain();
        }
    }

    private static boolean hasBody(HttpServletRequest request) {
        return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
    }

    private static void refuse(HttpServletResponse response, Refusal refusal) throws IOException {
        if (refusal.problem() == Problem.TOO_LARGE) {
            response.setHeader("Connection", "close"); // the rest of the body is not read
        }
        ProblemText.write(response, refusal);
    }

    private void check(HttpServletRequest request) {
        String host = request.getHeader("Host");
        if (!hosts.isOurs(host)) {
            throw new Refusal(
                    Problem.MISDIRECTED,
                    "Host is not a name of loopback. Start the server with --allow-host and this name if it is right.");
        }
        checkPath(request.getRequestURI());
        if (!isNavigation(request)) {
            checkOrigin(request, host);
        }
        if (tokens != null && !isPublic(request.getMethod(), request.getRequestURI())) {
            checkToken(request, tokens);
        }
    }

    private void checkOrigin(HttpServletRequest request, String host) {
        String origin = request.getHeader("Origin");
        String site = request.getHeader("Sec-Fetch-Site");
        if (origin != null && !hosts.isSameOrigin(origin, host)) {
            throw new Refusal(Problem.FOREIGN_ORIGIN, "The header Origin names another origin than Host.");
        }
        // A user who types an address or opens a bookmark sends none. A browser never changes something in this way.
        boolean isOurs = site == null
                || site.equals("same-origin")
                || (site.equals("none") && READING.contains(request.getMethod()));
        if (!isOurs) {
            throw new Refusal(Problem.FOREIGN_ORIGIN, "The header Sec-Fetch-Site is not same-origin.");
        }
    }

    /** Whether a browser opens a page, for example by a link of another site. The pages show nothing to the other site. */
    private static boolean isNavigation(HttpServletRequest request) {
        String path = request.getRequestURI();
        return READING.contains(request.getMethod())
                && "navigate".equals(request.getHeader("Sec-Fetch-Mode"))
                && (path.equals("/") || path.startsWith("/problems/"));
    }

    private void checkToken(HttpServletRequest request, TokenCheck check) {
        String credentials = request.getHeader("Authorization");
        if (credentials != null && credentials.toLowerCase(Locale.ROOT).startsWith(BEARER)) {
            String token = credentials.substring(BEARER.length()).strip();
            if (!check.accepts(token, ClientAddress.of(request))) {
                throw new Refusal(Problem.UNAUTHORIZED, "The token is wrong.");
            }
            return;
        }
        String session = session(request);
        if (session == null || !sessions.isValid(session)) {
            throw new Refusal(
                    Problem.UNAUTHORIZED,
                    session == null ? "The request has no token." : "The session has ended. Send the token again.");
        }
        Admission.put(request, () -> sessions.isValid(session));
    }

    static @Nullable String session(HttpServletRequest request) {
        Cookie[] cookies = request.getCookies();
        if (cookies != null) {
            for (Cookie cookie : cookies) {
                if (cookie.getName().equals(COOKIE)) {
                    return cookie.getValue();
                }
            }
        }
        return null;
    }

    /**
     * Whether a request needs no token: health, the pages that explain errors, such as a missing token, the files of the
     * dashboard, which asks for the token, and the question whether a token is needed.
     */
    private static boolean isPublic(String method, String path) {
        return HEALTH.contains(path)
                || path.startsWith("/problems/")
                || path.equals("/")
                || path.startsWith("/dashboard/")
                || (path.equals("/session") && READING.contains(method));
    }

    /**
     * Refuses paths that Tomcat and the routes could read in different ways, so that the check of the token and the route
     * see the same path.
     */
    private static void checkPath(String path) {
        if (AMBIGUOUS.matcher(path).find()) {
            throw new Refusal(Problem.BAD_REQUEST, "The path contains an empty segment, a dot segment or a semicolon.");
        }
        if (path.startsWith("/actuator/health/") && !HEALTH.contains(path)) {
            throw new Refusal(Problem.NOT_FOUND, Problem.NOT_FOUND.title());
        }
    }
}
