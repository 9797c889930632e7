// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.Command;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowReader;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.RowMapping;
import io.millrace.load.target.Target;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Loads rows without pipelining: each command is sent only when the reply to the previous command has arrived. The demo
 * compares a pipelined load with this load.
 */
final class UnpipelinedLoad {

    /** Number of rows, and the time from opening the source to the last reply. */
    record Result(long rows, double seconds) {}

    private UnpipelinedLoad() {}

    /** Writes the first {@code limit} rows of {@code source}, or fewer if {@code stopped} becomes true. */
    static Result run(RowSource source, Target target, ClientOptions redis, long limit, BooleanSupplier stopped) {
        long begin = System.nanoTime();
        long rows = 0;
        try (RedisClient client = RedisClient.connect(redis);
                RowReader reader = source.open()) {
            RowMapping mapping = target.bind(reader.columns());
            Row row = new Row();
            while (rows < limit && !stopped.getAsBoolean() && reader.next(row)) {
                if (!row.isRejected() && mapping.prepare(row).isEmpty()) {
                    Arguments arguments = new Arguments(new ArrayList<>());
                    mapping.write(row, arguments);
                    client.call(Command.of(mapping.command(), arguments.list().toArray()));
                    rows++;
                }
            }
        }
        return new Result(rows, (System.nanoTime() - begin) / 1e9);
    }

    private record Arguments(List<byte[]> list) implements ArgumentSink {
        @Override
        public ArgumentSink arg(byte[] bytes, int offset, int length) {
            list.add(Arrays.copyOfRange(bytes, offset, offset + length));
            return this;
        }
    }
}
