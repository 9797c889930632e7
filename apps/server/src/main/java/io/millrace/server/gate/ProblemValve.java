// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.gate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests that Tomcat refuses itself, such as malformed ones, in the form of all other errors. The answer contains
 * nothing of the request, and does not name Tomcat.
 */
public final class ProblemValve extends ErrorReportValve {

    @Override
    protected void report(Request request, Response response, @Nullable Throwable failure) {
        boolean answered = response.getContentWritten() > 0 || !response.setErrorReported();
        if (response.getStatus() < 400 || answered) {
            return;
        }
        SecurityHeaders.write(response::setHeader);
        Problem problem = Problem.ofStatus(response.getStatus());
        if (problem == Problem.STOPPING) {
            response.setHeader("Retry-After", Integer.toString(Problem.STOPPING_RETRY_SECONDS));
        }
        byte[] body = ProblemText.json(problem, problem.title()).getBytes(StandardCharsets.UTF_8);
        try {
            response.setStatus(problem.status());
            response.setContentType(ProblemText.MEDIA_TYPE);
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
            response.finishResponse();
        } catch (IOException | IllegalStateException closed) {
            // The client has gone, or the answer has begun.
        }
    }
}
