// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Strings;
import io.millrace.lab.library.MillraceConnections;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import io.millrace.lab.workload.RepeatedSets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;

/**
 * Millrace with one client that virtual callers share. All of them set keys, so that adjacent commands can be fused.
 *
 * @param fusion which commands may be fused
 */
public record MillraceSetCalls(int count, Set<Fusion> fusion) implements WarmContender {

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    public String variant() {
        return "virtual" + (fusion.isEmpty() ? "-unfused" : "");
    }

    @Override
    public String note() {
        return Callers.VIRTUAL.of(count) + ", call() on one shared client, " + MillraceBulkWriter.words(fusion)
                + ", otherwise default options; JVM warm, connections open";
    }

    @Override
    public Rounds open(Task task) {
        var options =
                MillraceConnections.builder(task.endpoint()).fusion(fusion).build();
        var client = RedisClient.connect(options);
        return new SetRounds(client, new RepeatedSets(), count, task.operations(), FusedFigures.of(client));
    }

    private record SetRounds(RedisClient client, RepeatedSets data, int callers, long operations, FusedFigures fused)
            implements Rounds {

        @Override
        public Optional<Outcomes> run() throws InterruptedException, ExecutionException {
            var before = MillraceCounts.outcomes(client.counts());
            Callers.VIRTUAL.run(callers, this::set);
            return Optional.of(MillraceCounts.outcomes(client.counts()).minus(before));
        }

        private void set(int caller) {
            for (long n = caller; n < operations; n += callers) {
                var reply = client.call(Strings.set(data.key(n), data.value(n)));
                if (!reply.equals("OK")) {
                    throw new LabException("a SET was not answered with OK: key=" + data.key(n) + ", reply=" + reply);
                }
            }
        }

        @Override
        public Map<String, Double> figures() {
            return fused.ofRound();
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
