// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.gate;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Locale;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseCookie;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Trades the token for a cookie, for the dashboard. The gate has checked the token, the cookie, and the origin of the request. */
@RestController
public final class SessionController {

    private final GateOptions options;
    private final Sessions sessions;

    public SessionController(GateOptions options, Sessions sessions) {
        this.options = options;
        this.sessions = sessions;
    }

    /**
     * Whether a request needs a session, and whether the session of this request is valid.
     *
     * @param needed whether requests need a token or a session
     * @param open whether the session of this request is valid, or none is needed
     */
    record SessionView(boolean needed, boolean open) {}

    /** Tells whether a session is needed. So the dashboard can ask for the token before a request is refused. */
    @GetMapping(value = "/session", produces = MediaType.APPLICATION_JSON_VALUE)
    SessionView state(HttpServletRequest request) {
        boolean needed = options.token().isPresent();
        String name = Gate.session(request);
        return new SessionView(needed, !needed || (name != null && sessions.isValid(name)));
    }

    /**
     * Begins a session. A server without a token needs none, and sets no cookie. A session is not enough: otherwise a stolen
     * cookie would never expire.
     */
    @PostMapping("/session")
    public ResponseEntity<Void> begin(HttpServletRequest request) {
        if (Admission.isBySession(request)) {
            throw new Refusal(Problem.UNAUTHORIZED, "A session begins only with the token.");
        }
        return options.token().isEmpty()
                ? ResponseEntity.noContent().build()
                : withCookie(request, sessions.begin(), Sessions.LIFE.toSeconds());
    }

    @DeleteMapping("/session")
    public ResponseEntity<Void> end(HttpServletRequest request) {
        String name = Gate.session(request);
        if (name != null) {
            sessions.end(name);
        }
        return withCookie(request, "", 0);
    }

    private ResponseEntity<Void> withCookie(HttpServletRequest request, String name, long seconds) {
        ResponseCookie cookie = ResponseCookie.from(Gate.COOKIE, name)
                .httpOnly(true)
                .sameSite("Strict")
                .secure(options.secure() || isOfTlsProxy(request))
                .path("/")
                .maxAge(seconds)
                .build();
        return ResponseEntity.noContent()
                .header(HttpHeaders.SET_COOKIE, cookie.toString())
                .build();
    }

    /** Whether a browser has sent the request over https, although this server has no TLS: to a proxy in front of the server. */
    private static boolean isOfTlsProxy(HttpServletRequest request) {
        String origin = request.getHeader("Origin");
        return origin != null && origin.toLowerCase(Locale.ROOT).startsWith("https://");
    }
}
