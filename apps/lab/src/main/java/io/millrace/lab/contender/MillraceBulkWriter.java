// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.lab.SmallProgram;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.util.Optional;

/** Millrace's writer for very many commands, one command per {@code SET}. */
public final class MillraceBulkWriter implements WarmContender {

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    public String note() {
        return "BulkWriter, not fused, default options; JVM warm, connection open";
    }

    @Override
    public Rounds open(Task task) {
        var client = RedisClient.connect(ClientOptions.of(RedisUri.of(task.host(), task.port())));
        var writer = client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> {});
        return new WriterRounds(client, writer, task.operations());
    }

    private record WriterRounds(RedisClient client, BulkWriter writer, long operations) implements Rounds {

        @Override
        public Optional<Outcomes> run() {
            var before = MillraceCounts.outcomes(writer.counts());
            SmallProgram.write(writer, operations);
            return Optional.of(MillraceCounts.outcomes(writer.counts()).minus(before));
        }

        @Override
        public void close() {
            writer.close();
            client.close();
        }
    }
}
