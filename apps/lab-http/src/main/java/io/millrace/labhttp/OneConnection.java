// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import io.millrace.lab.bulk.Connections;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.frameworks.HttpRequests;
import io.millrace.lab.frameworks.HttpRequests.Route;
import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;

/** The time of a value, of the liveness probe, and of a bare {@code GET}, one after the other over one connection each. */
public record OneConnection(HttpRequests requests) implements Work {

    private static final int DIGITS = 3;
    private static final double NANOS_PER_MICRO = 1e3;

    @Override
    public ReadyWork open(WorkContext context) throws IOException {
        // Jedis would warn at every start that a server of Redis 7.0 does not negotiate the protocol.
        var server = MillraceServer.start(context.target(), Map.of("logging.level.redis.clients.jedis", "error"));
        var values = RequestRounds.of(server, requests, context.folder());
        var liveness = new HttpRequests(Route.LIVENESS, requests.connections(), requests.seconds());
        return new PartRounds(server, values, Wrk.of(liveness, context.folder()), Connections.jedis(context.target()));
    }

    private static final class PartRounds implements ReadyWork {

        private final MillraceServer server;
        private final RequestRounds values;
        private final Wrk liveness;
        private final Jedis redis;

        /** Nanoseconds. */
        private final Histogram gets = new Histogram(TimeUnit.MINUTES.toNanos(1), DIGITS);

        private @Nullable WrkResult alive;

        PartRounds(MillraceServer server, RequestRounds values, Wrk liveness, Jedis redis) {
            this.server = server;
            this.values = values;
            this.liveness = liveness;
            this.redis = redis;
        }

        @Override
        public void prepare() {
            values.prepare();
            gets.reset();
            alive = null;
        }

        @Override
        public void fill() throws IOException {
            values.fill();
        }

        @Override
        public long run() throws IOException, InterruptedException {
            long succeeded = values.run();
            alive = liveness.run(server.port());
            readFromRedis();
            return succeeded;
        }

        /** Reads the entries of the cache in the order of the requests. */
        private void readFromRedis() {
            long end = System.nanoTime()
                    + TimeUnit.SECONDS.toNanos(liveness.requests().seconds());
            long now = System.nanoTime();
            for (int number = 0; now < end; number = (number + 1) % HttpRequests.KEYS) {
                byte[] key = HttpRequests.redisKey(number).getBytes(StandardCharsets.UTF_8);
                long start = System.nanoTime();
                byte[] entry = redis.get(key);
                now = System.nanoTime();
                if (entry == null) {
                    throw new LabException("no entry of the cache: number=" + number);
                }
                gets.recordValue(now - start);
            }
        }

        @Override
        public RoundDetails details() throws IOException {
            WrkResult probe = alive;
            if (probe == null) {
                throw new IllegalStateException("no round has run");
            }
            RoundDetails details = values.details();
            List<String> complaints = new ArrayList<>(details.complaints());
            complaints.addAll(probe.complaints(values.livenessBytes()));
            double get = gets.getValueAtPercentile(50) / NANOS_PER_MICRO;
            double allowed = probe.p50Micros() + HttpRequests.ALLOWED_GETS * get;
            return details.withComplaints(complaints)
                    .withFigure(HttpRequests.LIVENESS_P50, probe.p50Micros())
                    .withFigure(HttpRequests.GET_P50, get)
                    .withFigure(
                            HttpRequests.P50_OF_ALLOWED,
                            details.figures().getOrDefault(HttpRequests.P50, Double.NaN) / allowed);
        }

        @Override
        public void close() {
            redis.close();
            values.close();
        }
    }
}
