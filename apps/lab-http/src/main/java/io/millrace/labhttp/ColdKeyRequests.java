// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import io.millrace.lab.connections.ConcurrentCallers;
import io.millrace.lab.connections.ThreadKind;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.frameworks.ColdKey;
import io.millrace.lab.server.LabException;
import io.millrace.labhttp.HttpConnection.Answer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Requests at the same time for a value that the server must compute. The connections are opened before. */
public record ColdKeyRequests(ColdKey cold) implements Work {

    private static final int OK = 200;

    @Override
    public ReadyWork open(WorkContext context) {
        Map<String, String> keys =
                Map.of(MillraceServer.COMPUTATION, cold.computation().toMillis() + "ms");
        return new ColdRounds(cold, MillraceServer.start(context.target(), keys));
    }

    private static final class ColdRounds implements ReadyWork {

        private final ColdKey cold;
        private final MillraceServer server;
        private final List<HttpConnection> connections = new ArrayList<>();
        private final Set<String> values = ConcurrentHashMap.newKeySet();
        private int units;
        private int unitsBefore;
        private long computationsBefore;

        ColdRounds(ColdKey cold, MillraceServer server) {
            this.cold = cold;
            this.server = server;
        }

        /** One after the other, because the queue of connections that Tomcat has not accepted is short. */
        @Override
        public void prepare() throws IOException {
            for (int i = 0; i < cold.requests(); i++) {
                connections.add(HttpConnection.open(server.port()));
            }
            values.clear();
            unitsBefore = units;
            computationsBefore = server.computations();
        }

        @Override
        public long run() throws Exception {
            String key = ColdKey.key(units++);
            ConcurrentCallers.run(ThreadKind.VIRTUAL, cold.requests(), caller -> {
                Answer answer = connections.get(caller).get(Wrk.path(key));
                if (answer.status() != OK || !answer.body().startsWith(key + "-value")) {
                    throw new LabException("wrong answer: key=" + key + ", answer=" + answer);
                }
                values.add(answer.body());
            });
            return cold.requests();
        }

        @Override
        public RoundDetails details() throws IOException {
            closeAll(connections);
            int run = units - unitsBefore;
            double computations = (double) (server.computations() - computationsBefore) / run;
            var details = RoundDetails.NONE.withFigure(ColdKey.COMPUTATIONS, computations);
            return values.size() == run
                    ? details
                    : details.withComplaints(List.of("different values: expected=" + run + ", found=" + values.size()));
        }

        private static void closeAll(Collection<HttpConnection> connections) throws IOException {
            for (HttpConnection connection : connections) {
                connection.close();
            }
            connections.clear();
        }

        @Override
        public void close() throws IOException {
            closeAll(connections);
            server.close();
        }
    }
}
