// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.frameworks.HttpRequests;
import io.millrace.lab.frameworks.HttpRequests.Route;
import io.millrace.lab.server.LabException;
import io.millrace.labhttp.HttpConnection.Answer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Requests to one server. Every value is read once before the round, which fills the cache, and once after the round: the
 * answers must be the same. This JVM has the CPU time of the server alone, because {@code wrk} is another process.
 */
final class RequestRounds implements ReadyWork {

    private static final int OK = 200;

    private final ValueServer server;
    private final HttpRequests requests;
    private final Wrk wrk;
    private List<String> values = List.of();
    private long computationsBefore;
    private @Nullable WrkResult result;

    private RequestRounds(ValueServer server, HttpRequests requests, Wrk wrk) {
        this.server = server;
        this.requests = requests;
        this.wrk = wrk;
    }

    /** The server is closed with the rounds. */
    static RequestRounds of(ValueServer server, HttpRequests requests, Path folder) throws IOException {
        return new RequestRounds(server, requests, Wrk.of(requests, folder));
    }

    @Override
    public void prepare() {
        result = null;
    }

    @Override
    public void fill() throws IOException {
        values = readValues();
        for (int number = 0; number < values.size(); number++) {
            String begin = HttpRequests.key(number) + "-value";
            if (!values.get(number).startsWith(begin)) {
                throw new LabException("wrong value: expected=" + begin + "…, found=" + values.get(number));
            }
        }
        computationsBefore = server.computations();
    }

    private List<String> readValues() throws IOException {
        List<String> read = new ArrayList<>();
        try (var connection = HttpConnection.open(server.port())) {
            for (int number = 0; number < HttpRequests.KEYS; number++) {
                read.add(body(connection.get(Wrk.path(HttpRequests.key(number)))));
            }
            if (requests.route() == Route.LIVENESS
                    && !body(connection.get(Wrk.LIVENESS)).contains("UP")) {
                throw new LabException("the server is not alive");
            }
        }
        return read;
    }

    private static String body(Answer answer) {
        if (answer.status() != OK) {
            throw new LabException("wrong answer: status=" + answer.status() + ", body=" + answer.body());
        }
        return answer.body();
    }

    @Override
    public long run() throws IOException, InterruptedException {
        WrkResult run = wrk.run(server.port());
        result = run;
        return run.succeeded();
    }

    @Override
    public RoundDetails details() throws IOException {
        WrkResult run = result;
        if (run == null) {
            throw new IllegalStateException("no round has run");
        }
        List<String> complaints = new ArrayList<>(run.complaints());
        long computed = server.computations() - computationsBefore;
        if (computed > 0) {
            complaints.add("values computed during the round: " + computed);
        }
        List<String> after = readValues();
        if (!after.equals(values)) {
            complaints.add("values have changed during the round");
        }
        return RoundDetails.NONE
                .withFigure(HttpRequests.P50, run.p50Micros())
                .withFigure(HttpRequests.P99, run.p99Micros())
                .withComplaints(complaints);
    }

    @Override
    public void close() {
        server.close();
    }
}
