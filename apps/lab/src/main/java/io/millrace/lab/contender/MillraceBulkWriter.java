// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.Outcome;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Fusion;
import io.millrace.lab.library.MillraceConnections;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Millrace's writer for very many commands.
 *
 * @param fusion which of them it may fuse
 * @param commands what it writes
 */
public record MillraceBulkWriter(Set<Fusion> fusion, Commands commands) implements WarmContender {

    /** Commands that are the same in each round. */
    public interface Commands {

        /** Submits so many; the n-th, from 0, has the tag n. */
        void write(BulkWriter writer, long operations);

        /**
         * Looks at what became of one. By default nobody does.
         *
         * @throws io.millrace.lab.run.LabException if it is not as it should be
         */
        default void check(long tag, Outcome outcome) {}
    }

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    public String variant() {
        return fusion.isEmpty() ? "unfused" : "fused";
    }

    @Override
    public String note() {
        return "BulkWriter, " + words(fusion) + ", otherwise default options; JVM warm, connection open";
    }

    /** Which kinds are fused. */
    static String words(Set<Fusion> fusion) {
        return fusion.isEmpty()
                ? "not fused"
                : fusion.equals(Fusion.ALL_EXACT) ? "fused as by default" : "fused as for writing";
    }

    @Override
    public Rounds open(Task task) {
        var client =
                RedisClient.connect(MillraceConnections.builder(task.endpoint()).build());
        var writer = client.bulkWriter(
                BulkOptions.DEFAULT.withFusion(fusion), (tag, command, outcome) -> commands.check(tag, outcome));
        return new WriterRounds(client, writer, commands, new FusedFigures(writer::fusion), task.operations());
    }

    private record WriterRounds(
            RedisClient client, BulkWriter writer, Commands commands, FusedFigures fused, long operations)
            implements Rounds {

        @Override
        public Optional<Outcomes> run() {
            var before = MillraceCounts.outcomes(writer.counts());
            commands.write(writer, operations);
            writer.finish();
            return Optional.of(MillraceCounts.outcomes(writer.counts()).minus(before));
        }

        @Override
        public Map<String, Double> figures() {
            return fused.ofRound();
        }

        @Override
        public void close() {
            writer.close();
            client.close();
        }
    }
}
