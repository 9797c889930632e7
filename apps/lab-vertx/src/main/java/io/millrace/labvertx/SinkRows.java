// SPDX-License-Identifier: Apache-2.0
package io.millrace.labvertx;

import io.millrace.client.command.Hashes;
import io.millrace.lab.bulk.FusedCalls;
import io.millrace.lab.bulk.RowData;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.vertx.CommandSink;
import io.millrace.vertx.VertxRedis;
import io.vertx.core.Future;
import io.vertx.core.Promise;

/** Rows through {@link VertxRedis#sink}, one hash for each row. */
public record SinkRows(RowData rows) implements Work {

    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        var options = MillraceChains.options(context.target());
        var loop = new EventLoop();
        try {
            return new Ready(loop, loop.run(() -> VertxRedis.connect(loop.vertx(), options)), rows.rows());
        } catch (Exception e) {
            loop.close();
            throw e;
        }
    }

    private static final class Ready implements ReadyWork {

        private final EventLoop loop;
        private final VertxRedis redis;
        private final long rows;
        private FusedCalls before = FusedCalls.NONE;

        Ready(EventLoop loop, VertxRedis redis, long rows) {
            this.loop = loop;
            this.redis = redis;
            this.rows = rows;
        }

        private FusedCalls fused() {
            return FusedCalls.of(redis.client().stats().fusion());
        }

        @Override
        public void prepare() {
            before = fused();
        }

        @Override
        public long run() throws Exception {
            return loop.run(() -> {
                var writer = new Writer(redis.sink(), rows);
                return writer.begin();
            });
        }

        @Override
        public RoundDetails details() {
            return fused().minus(before).addTo(RoundDetails.NONE);
        }

        @Override
        public void close() throws Exception {
            loop.close();
        }
    }

    /** Writes rows while the queue of the stream is not full. Used by the event loop. */
    private static final class Writer {

        private final CommandSink sink;
        private final long rows;
        private final Promise<Long> end = Promise.promise();
        private long next;

        Writer(CommandSink sink, long rows) {
            this.sink = sink;
            this.rows = rows;
        }

        Future<Long> begin() {
            sink.drainHandler(unused -> write());
            write();
            return end.future();
        }

        private void write() {
            while (next < rows) {
                if (sink.writeQueueFull()) {
                    return;
                }
                sink.write(Hashes.set(RowData.key(next), RowData.fields(next)));
                if (++next == rows) {
                    sink.end().map(unused -> sink.written()).onComplete(end);
                }
            }
        }
    }
}
