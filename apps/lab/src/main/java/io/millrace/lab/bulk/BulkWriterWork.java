// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.CommandCounts;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Fusion;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import java.util.List;
import java.util.Set;

/** Millrace's bulk writer, which sends {@code data} again and again. */
record BulkWriterWork(BulkData data, Set<Fusion> fusion) implements Work {

    /** The contenders {@code millrace/fused} and {@code millrace/unfused}. */
    static List<JvmContender> bothWays(BulkData data, Set<Fusion> fusion, String words) {
        return List.of(
                new JvmContender(description("fused", words), new BulkWriterWork(data, fusion)),
                new JvmContender(description("unfused", "fuses nothing"), new BulkWriterWork(data, Fusion.NONE))
                        .asReference());
    }

    /** A contender with default options. */
    static JvmContender byDefault(String mode, BulkData data) {
        return new JvmContender(
                new Description("millrace", mode, "BulkWriter, default options", "docs/client.md"),
                new BulkWriterWork(data, BulkOptions.DEFAULT.fusion()));
    }

    private static Description description(String mode, String words) {
        return new Description(
                "millrace", mode, "BulkWriter, " + words + ", otherwise default options", "docs/fusion.md");
    }

    @Override
    public ReadyWork open(WorkContext context) {
        var client = Connections.millrace(context.target());
        var writer = client.bulkWriter(
                BulkOptions.DEFAULT.withFusion(fusion), (tag, command, outcome) -> data.check(tag, outcome));
        return new Ready(client, writer, data);
    }

    private static final class Ready implements ReadyWork {

        private final RedisClient client;
        private final BulkWriter writer;
        private final BulkData data;
        private CommandCounts countsBefore = CommandCounts.NONE;
        private FusedCalls fusedBefore = FusedCalls.NONE;

        Ready(RedisClient client, BulkWriter writer, BulkData data) {
            this.client = client;
            this.writer = writer;
            this.data = data;
        }

        @Override
        public void prepare() {
            countsBefore = writer.counts();
            fusedBefore = FusedCalls.of(writer.fusion());
        }

        @Override
        public long run() {
            long before = writer.counts().ok();
            data.write(writer);
            writer.finish();
            return writer.counts().ok() - before;
        }

        @Override
        public RoundDetails details() {
            var outcomes = Connections.outcomes(writer.counts()).minus(Connections.outcomes(countsBefore));
            return FusedCalls.of(writer.fusion()).minus(fusedBefore).addTo(RoundDetails.NONE.withOutcomes(outcomes));
        }

        @Override
        public void close() {
            writer.close();
            client.close();
        }
    }
}
