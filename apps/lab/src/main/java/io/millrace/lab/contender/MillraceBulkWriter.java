// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.ClientOptions;
import io.millrace.client.CommandCounts;
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
            var before = writer.counts();
            SmallProgram.write(writer, operations);
            return Optional.of(difference(before, writer.counts()));
        }

        private static Outcomes difference(CommandCounts before, CommandCounts after) {
            return new Outcomes(
                    after.ok() - before.ok(),
                    after.error() - before.error(),
                    after.timedOut() - before.timedOut(),
                    after.refused() - before.refused(),
                    after.lost() - before.lost());
        }

        @Override
        public void close() {
            writer.close();
            client.close();
        }
    }
}
