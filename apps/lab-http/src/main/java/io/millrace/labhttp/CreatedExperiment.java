// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import io.millrace.lab.bitmap.RandomBits;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.frameworks.RandomExperiment;
import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.util.Map;

/** An experiment that a request creates. */
public record CreatedExperiment(RandomExperiment experiment) implements Work {

    private static final int OK = 200;
    private static final int CREATED = 201;

    @Override
    public ReadyWork open(WorkContext context) throws IOException {
        String json = "{\"key\":\"%s\",\"populationNumber\":%d,\"maxRandom\":%d,\"lessThan\":%d,\"seed\":%d}"
                .formatted(
                        RandomBits.NAME,
                        experiment.bits(),
                        RandomExperiment.MAX_RANDOM,
                        RandomExperiment.LESS_THAN,
                        context.parameters().seed());
        return new CreateRounds(experiment, MillraceServer.start(context.target(), Map.of()), json);
    }

    private record CreateRounds(RandomExperiment experiment, MillraceServer server, String json) implements ReadyWork {

        @Override
        public long run() throws IOException {
            try (var connection = HttpConnection.open(server.port())) {
                var answer = connection.post("/experiments/create", json);
                if (answer.status() != CREATED && answer.status() != OK) {
                    throw new LabException("no experiment was created: answer=" + answer);
                }
            }
            return experiment.bits();
        }

        @Override
        public void close() {
            server.close();
        }
    }
}
