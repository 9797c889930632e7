// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.gate;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Writes problems as {@code application/problem+json}. */
public final class ProblemText {

    public static final String MEDIA_TYPE = "application/problem+json";

    private ProblemText() {}

    /** One JSON object. The detail is text for people. */
    public static String json(Problem problem, String detail) {
        return "{\"type\":\"" + problem.type() + "\",\"title\":\"" + quoted(problem.title()) + "\",\"status\":"
                + problem.status() + ",\"detail\":\"" + quoted(detail) + "\"}";
    }

    /** Answers a request with a refusal, unless the answer has begun. */
    public static void write(HttpServletResponse response, Refusal refusal) throws IOException {
        if (response.isCommitted()) {
            return;
        }
        response.resetBuffer();
        refusal.retryAfterSeconds().ifPresent(seconds -> response.setHeader("Retry-After", Integer.toString(seconds)));
        if (refusal.problem() == Problem.UNAUTHORIZED) {
            response.setHeader("WWW-Authenticate", "Bearer realm=\"millrace\"");
        }
        byte[] body = json(refusal.problem(), refusal.detail()).getBytes(StandardCharsets.UTF_8);
        response.setStatus(refusal.problem().status());
        response.setContentType(MEDIA_TYPE);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
        response.flushBuffer();
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 8);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c == 0x7f || Character.isSurrogate(c)) {
                quoted.append("\\u").append(String.format("%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.toString();
    }
}
