// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.client.BulkOptions;
import io.millrace.client.RedisClient;

/**
 * A small program with the bulk writer: connects, sends the {@code SET}s of {@link StringData}, waits for the replies,
 * ends. The argument is the number of {@code SET}s; the server is in the environment, see {@link
 * Connections#environment}. Prints the numbers of fused commands. Ends with 1 unless every {@code SET} succeeded.
 */
public final class SmallProgram {

    public static void main(String[] args) {
        var data = new StringData(Long.parseLong(args[0]));
        try (var client = RedisClient.connect(Connections.fromEnvironment(System.getenv()));
                var writer = client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> {})) {
            data.write(writer);
            writer.finish();
            if (writer.counts().ok() != data.operations()) {
                System.err.println("not every SET succeeded: " + writer.counts());
                System.exit(1);
            }
            var fused = writer.fusion();
            System.out.println("commands=" + fused.commands() + " batches=" + fused.fusedBatches());
        }
    }

    private SmallProgram() {}
}
