// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.gate;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The errors of the server. The type of each error (RFC 9457) is the address of a page that explains the error. */
public enum Problem {
    BAD_REQUEST(400, "The request is not valid.", """
            A parameter, a member of the body or the path is unknown, missing, or out of its range. The detail names it.
            The server refuses what it does not know, so that a misspelled name is not ignored."""),
    UNAUTHORIZED(401, "The request has no valid token.", """
            Send the token of the server: "Authorization: Bearer TOKEN". The token is in the file of --token-file, or in the
            variable MILLRACE_SERVER_TOKEN. The session of a browser ends after 12 hours and with the server."""),
    FOREIGN_ORIGIN(403, "The request comes from a page of another site.", """
            A request may come from a page of this server, from a program, or from the address line of a browser. The browser
            has named another origin (Origin, Sec-Fetch-Site). Other sites may only link to the dashboard and to the pages that
            explain errors. Behind a proxy, start the server with --allow-host and the name that the browser uses."""),
    NOT_FOUND(404, "There is no such resource.", """
            The path is not a route of this server, or it names a cache, an entry, an experiment, an activity, a job or a load
            that does not exist."""),
    METHOD_NOT_ALLOWED(
            405, "The resource does not have this method.", "The header Allow names the methods of the resource."),
    NOT_ACCEPTABLE(406, "The resource does not have this form.", """
            Most resources are text/plain or application/json. Lists of rejected rows are application/x-ndjson, events are
            text/event-stream. Change the header Accept."""),
    CONFLICT(409, "The resource is in another state.", """
            The detail names the reason. A job runs only once at a time: wait for the running load, or stop it. A load that has
            ended cannot be stopped, and a load that runs has no report yet. A cache is cleared only once at a time. An
            experiment is created or deleted by one request at a time. The key exists in Redis with another type, or the stored
            bits have other options or are not complete."""),
    TOO_LARGE(413, "The request is too large.", """
            A body has at most 64 KiB, a body of marks 1 MiB and 10,000 marks, a key 512 bytes in UTF-8."""),
    UNSUPPORTED_TYPE(
            415, "The body has the wrong type.", "Bodies are JSON. Send the header Content-Type: application/json."),
    MISDIRECTED(421, "The request names another host.", """
            The server answers for the names of loopback, and for the names of --allow-host. This protects a browser from pages
            that point their own name at this server (DNS rebinding)."""),
    TOO_MANY(429, "There are too many requests of this kind.", """
            Limits: 10 wrong tokens per minute and address, 2 loads at once, 2 experiments being created, 8 event streams per
            address and 200 in all. Repeat the request after the seconds of Retry-After."""),
    INTERNAL(500, "The server has a defect.", """
            The server could not answer, and has logged the reason. Please report the log entry."""),
    FAILED(502, "The computation of the value failed.", """
            The source of the value has thrown an exception, which the server has logged. The next request computes again."""),
    STOPPING(503, "The server stops.", """
            The server does not accept this request any more, because it is being stopped. Repeat the request when the server
            runs again."""),
    REDIS_AWAY(503, "Redis does not answer.", """
            The server could not reach Redis, Redis did not reply in time, or Redis refused the command. The server connects
            again by itself. Repeat the request after the seconds of Retry-After."""),
    LATE(504, "The answer did not come in time.", """
            The computation of the value took longer than its limit, or waited too long for other computations. A running
            computation continues, so a later request may find the value.""");

    /** Time in which a server usually starts again. */
    public static final int STOPPING_RETRY_SECONDS = 5;

    private final int status;
    private final String title;
    private final String explanation;

    Problem(int status, String title, String explanation) {
        this.status = status;
        this.title = title;
        this.explanation = explanation;
    }

    public int status() {
        return status;
    }

    public String title() {
        return title;
    }

    /** The text of the page that explains this problem. */
    public String explanation() {
        return explanation;
    }

    /** The last segment of the address of the page. */
    public String slug() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The address of the page. */
    public String type() {
        return "/problems/" + slug();
    }

    /** Returns the problem of a page. */
    public static Optional<Problem> ofSlug(String slug) {
        return Arrays.stream(values())
                .filter(problem -> problem.slug().equals(slug))
                .findFirst();
    }

    /** Returns the problem for a status that a library has chosen. An unknown version or encoding is a bad request. */
    public static Problem ofStatus(int status) {
        return status == 501 || status == 505 ? BAD_REQUEST : known(status);
    }

    private static Problem known(int status) {
        return Arrays.stream(values())
                .filter(problem -> problem.status == status)
                .findFirst()
                .orElse(status >= 500 ? INTERNAL : BAD_REQUEST);
    }
}
