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
 * Requests to one server. Every value is read before the round, which fills the cache, and once after the round: the answers
 * must be the same. This JVM has the CPU time of the server alone, because {@code wrk} is another process.
 */
final class RequestRounds implements ReadyWork {

    private static final int OK = 200;

    /** The first reading computes the values. A cache may store a value after the answer, so a second one may compute, too. */
    private static final int MAX_READINGS = 10;

    private final ValueServer server;
    private final Wrk wrk;
    private List<Answer> answers = List.of();
    private long computationsBefore;
    private @Nullable WrkResult result;

    RequestRounds(ValueServer server, Wrk wrk) {
        this.server = server;
        this.wrk = wrk;
    }

    /** The server is closed with the rounds. */
    static RequestRounds of(ValueServer server, HttpRequests requests, Path folder) throws IOException {
        return new RequestRounds(server, Wrk.of(requests, folder));
    }

    @Override
    public void prepare() {
        result = null;
    }

    /** Reads the values until no value is computed. */
    @Override
    public void fill() throws IOException {
        for (int reading = 0; reading < MAX_READINGS; reading++) {
            computationsBefore = server.computations();
            answers = readValues();
            if (server.computations() == computationsBefore) {
                return;
            }
        }
        throw new LabException("the cache does not keep the values: readings=" + MAX_READINGS);
    }

    private List<Answer> readValues() throws IOException {
        List<Answer> read = new ArrayList<>();
        try (var connection = HttpConnection.open(server.port())) {
            for (int number = 0; number < HttpRequests.KEYS; number++) {
                String key = HttpRequests.key(number);
                Answer answer = good(connection.get(Wrk.path(key)));
                if (!answer.body().startsWith(key + "-value")) {
                    throw new LabException("wrong value: key=" + key + ", value=" + answer.body());
                }
                read.add(answer);
            }
        }
        return read;
    }

    private static Answer good(Answer answer) {
        if (answer.status() != OK) {
            throw new LabException("wrong answer: status=" + answer.status() + ", body=" + answer.body());
        }
        return answer;
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
        long computed = server.computations() - computationsBefore;
        List<Answer> after = readValues();
        boolean isForValues = wrk.requests().route() != Route.LIVENESS;
        List<String> complaints = new ArrayList<>(run.complaints(isForValues ? meanBytes(after) : livenessBytes()));
        if (computed > 0) {
            complaints.add("values computed during the round: " + computed);
        }
        if (!bodies(after).equals(bodies(answers))) {
            complaints.add("values have changed during the round");
        }
        return RoundDetails.NONE
                .withFigure(HttpRequests.P50, run.p50Micros())
                .withFigure(HttpRequests.P99, run.p99Micros())
                .withComplaints(complaints);
    }

    private static List<String> bodies(List<Answer> answers) {
        return answers.stream().map(Answer::body).toList();
    }

    private static double meanBytes(List<Answer> answers) {
        return answers.stream().mapToLong(Answer::bytes).average().orElseThrow();
    }

    /** Length of the answer of the liveness probe. */
    double livenessBytes() throws IOException {
        try (var connection = HttpConnection.open(server.port())) {
            return good(connection.get(Wrk.LIVENESS)).bytes();
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
