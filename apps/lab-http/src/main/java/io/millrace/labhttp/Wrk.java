// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import io.millrace.lab.frameworks.HttpRequests;
import io.millrace.lab.frameworks.HttpRequests.Route;
import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The program {@code wrk}: one thread, which keeps all connections busy.
 *
 * @param program name or path of the program
 * @param script the requests, and the line of figures at the end
 */
record Wrk(HttpRequests requests, String program, Path script) {

    /** The name of the program on the PATH. */
    static final String NAME = "wrk";

    static final String LIVENESS = "/actuator/health/liveness";

    /** Prints the exact figures at the end: the text of {@code wrk} itself is rounded. */
    private static final String DONE = """
            done = function(summary, latency, requests)
              local errors = summary.errors
              io.write(string.format("millrace-lab: requests=%d bytes=%d connect=%d read=%d write=%d status=%d timeout=%d p50=%d p99=%d\\n",
                summary.requests, summary.bytes, errors.connect, errors.read, errors.write, errors.status, errors.timeout,
                latency:percentile(50), latency:percentile(99)))
            end
            """;

    /** Writes the script into {@code folder}. */
    static Wrk of(HttpRequests requests, Path folder) throws IOException {
        return of(requests, NAME, folder);
    }

    static Wrk of(HttpRequests requests, String program, Path folder) throws IOException {
        Path script = folder.resolve(requests.route() + ".lua");
        Files.writeString(script, script(requests.route()));
        return new Wrk(requests, program, script);
    }

    private static String script(Route route) {
        return switch (route) {
            case VALUE, NEAR_VALUE -> requestsInTurn() + DONE;
            case LIVENESS -> DONE;
        };
    }

    /** All requests are made before the measurement. */
    private static String requestsInTurn() {
        return """
                local requests = {}
                local last = -1

                init = function(args)
                  for number = 0, %d do
                    requests[number] = wrk.format("GET", "%s" .. number)
                  end
                end

                request = function()
                  last = (last + 1) %% %d
                  return requests[last]
                end

                """.formatted(HttpRequests.KEYS - 1, path(HttpRequests.KEY_PREFIX), HttpRequests.KEYS);
    }

    static String path(String key) {
        return "/value/" + key;
    }

    /** The path of the first request. */
    private String firstPath() {
        return requests.route() == Route.LIVENESS ? LIVENESS : path(HttpRequests.key(0));
    }

    /** Sends requests to the server at {@code port} for the whole duration. */
    WrkResult run(int port) throws IOException, InterruptedException {
        List<String> command = List.of(
                program,
                "-t1",
                "-c" + requests.connections(),
                "-d" + requests.seconds() + "s",
                "--latency",
                "-s",
                script.toString(),
                "http://" + HttpConnection.SERVER + ":" + port + firstPath());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int exit = process.waitFor();
            if (exit != 0) {
                throw new LabException("wrk failed: exit=" + exit + ", output=" + WrkResult.oneLine(output));
            }
            return WrkResult.parse(output);
        } finally {
            process.destroyForcibly();
        }
    }
}
