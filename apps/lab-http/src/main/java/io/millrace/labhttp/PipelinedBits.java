// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Bitmaps;
import io.millrace.client.command.Fusion;
import io.millrace.lab.bitmap.RandomBits;
import io.millrace.lab.bulk.Connections;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.frameworks.RandomExperiment;
import io.millrace.lab.server.LabException;
import java.nio.charset.StandardCharsets;

/** A {@code SETBIT} for each bit, in pipelines. */
public record PipelinedBits(RandomExperiment experiment) implements Work {

    @Override
    public ReadyWork open(WorkContext context) {
        var bits = RandomBits.of(context.parameters().seed(), experiment.bits());
        RedisClient client = Connections.millrace(context.target());
        var options = BulkOptions.DEFAULT.withFusion(Fusion.NONE);
        return new PipelineRounds(client, client.bulkWriter(options, (tag, command, outcome) -> {}), bits.packed());
    }

    private record PipelineRounds(RedisClient client, BulkWriter writer, RandomBits.Packed bits) implements ReadyWork {

        @Override
        public long run() {
            long before = writer.counts().ok();
            byte[] name = RandomBits.KEY.getBytes(StandardCharsets.UTF_8);
            for (long offset = 0; offset < bits.count(); offset++) {
                writer.begin(Bitmaps.SETBIT)
                        .arg(name)
                        .arg(offset)
                        .arg(bits.isSet(offset) ? 1 : 0)
                        .end(offset);
            }
            writer.finish();
            if (writer.counts().ok() - before != bits.count()) {
                throw new LabException(
                        "not every SETBIT succeeded: expected=" + bits.count() + ", counts=" + writer.counts());
            }
            return bits.count();
        }

        @Override
        public void close() {
            writer.close();
            client.close();
        }
    }
}
