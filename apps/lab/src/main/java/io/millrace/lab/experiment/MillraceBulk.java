// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.CommandCounts;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Strings;
import io.millrace.lab.library.MillraceConnections;
import io.millrace.lab.library.Pair;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What Millrace would have a loader write: all pairs through one {@code BulkWriter}.
 *
 * @param fusion which commands it may fuse
 */
record MillraceBulk(Set<Fusion> fusion) implements WarmContender {

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    public String variant() {
        return fusion.isEmpty() ? "bulk-writer-unfused" : "bulk-writer";
    }

    @Override
    public String jvm() {
        return name();
    }

    @Override
    public String note() {
        return "BulkWriter, " + (fusion.isEmpty() ? "not fused, otherwise" : "fused as by default, with")
                + " default options, over one connection, from the same strings as the others";
    }

    @Override
    public Rounds open(Task task) {
        var client =
                RedisClient.connect(MillraceConnections.builder(task.endpoint()).build());
        var writer = client.bulkWriter(BulkOptions.DEFAULT.withFusion(fusion), (tag, command, outcome) -> {});
        return new BulkRounds(client, writer, Pairs.first(task.operations()));
    }

    private record BulkRounds(RedisClient client, BulkWriter writer, List<Pair> pairs) implements Rounds {

        @Override
        public Optional<Outcomes> run() {
            var before = outcomes(writer.counts());
            for (int i = 0; i < pairs.size(); i++) {
                writer.begin(Strings.SET)
                        .arg(pairs.get(i).key())
                        .arg(pairs.get(i).value());
                writer.end(i);
            }
            writer.finish();
            return Optional.of(outcomes(writer.counts()).minus(before));
        }

        private static Outcomes outcomes(CommandCounts counts) {
            return new Outcomes(counts.ok(), counts.error(), counts.timedOut(), counts.refused(), counts.lost());
        }

        @Override
        public void close() {
            writer.close();
            client.close();
        }
    }
}
