// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import io.millrace.lab.bulk.LoadsExperiment;
import io.millrace.lab.bulk.RowData;
import io.millrace.lab.bulk.RowSource;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.frameworks.ListenedLoad;
import io.millrace.lab.server.LabException;
import io.millrace.labhttp.HttpConnection.Answer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A load of a CSV file that a request starts, with listeners to its events. */
public record RequestedLoad(ListenedLoad load) implements Work {

    private static final String JOB = "customers";
    private static final String KEYS = "millrace.load.jobs." + JOB + ".";

    private static final int OK = 200;
    private static final int ACCEPTED = 202;
    private static final int CONFLICT = 409;

    private static final long END_LIMIT_NANOS = Duration.ofSeconds(10).toNanos();
    private static final long END_LOOK_NANOS = Duration.ofMillis(1).toNanos();

    @Override
    public ReadyWork open(WorkContext context) throws IOException {
        var source = RowSource.csv(load.rows());
        source.prepare(context);
        Map<String, String> keys = Map.of(
                KEYS + "csv",
                source.location(context),
                KEYS + "key",
                RowData.KEYSPACE + ":{id}",
                KEYS + "as",
                "hash",
                KEYS + "when",
                "manual");
        return new LoadRounds(load, MillraceServer.start(context.target(), keys));
    }

    private static final class LoadRounds implements ReadyWork {

        private final ListenedLoad load;
        private final MillraceServer server;
        private final List<String> complaints = new ArrayList<>();
        private double seconds;

        LoadRounds(ListenedLoad load, MillraceServer server) {
            this.load = load;
            this.server = server;
        }

        @Override
        public void prepare() {
            complaints.clear();
        }

        @Override
        public long run() throws IOException, InterruptedException {
            try (var connection = HttpConnection.open(server.port())) {
                String path = start(connection);
                try (var listeners = EventListeners.open(server.port(), path + "/events", load.listeners())) {
                    int ends = listeners.awaitEnds();
                    if (ends != load.listeners() - 1) {
                        complaints.add("listeners with an end: expected=" + (load.listeners() - 1) + ", found=" + ends);
                    }
                }
                JsonNode report = JsonMapper.shared()
                        .readTree(expect(OK, connection.get(path + "/report")).body());
                seconds = report.path("seconds").doubleValue();
                return report.at("/rows/written").asLong(-1);
            }
        }

        /** The job of the last unit may need a moment after its last event. */
        private String start(HttpConnection connection) throws IOException {
            long begun = System.nanoTime();
            Answer answer = connection.post("/loads", "{\"job\":\"" + JOB + "\"}");
            while (answer.status() == CONFLICT && System.nanoTime() - begun < END_LIMIT_NANOS) {
                LockSupport.parkNanos(END_LOOK_NANOS);
                answer = connection.post("/loads", "{\"job\":\"" + JOB + "\"}");
            }
            return expect(ACCEPTED, answer).headers().getOrDefault("location", "");
        }

        private static Answer expect(int status, Answer answer) {
            if (answer.status() != status) {
                throw new LabException("wrong answer: expected=" + status + ", answer=" + answer);
            }
            return answer;
        }

        @Override
        public RoundDetails details() {
            return RoundDetails.NONE
                    .withFigure(LoadsExperiment.REPORTED_SECONDS, seconds)
                    .withComplaints(complaints);
        }

        @Override
        public void close() {
            server.close();
        }
    }
}
