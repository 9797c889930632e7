// SPDX-License-Identifier: Apache-2.0
package io.millrace.labvertx;

import io.millrace.lab.bulk.FusedCalls;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.frameworks.Chains;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/** Runs the chains of one unit on an event loop, with the latency of each command. */
final class ChainRuns implements ReadyWork {

    private static final int DIGITS = 3;
    private static final double NANOS_PER_MICRO = 1e3;

    /** How a client gets a value. Called on the event loop. */
    interface Getter {

        Future<String> get(String key);

        /** Commands that were fused so far. */
        default FusedCalls fused() {
            return FusedCalls.NONE;
        }
    }

    private final EventLoop loop;
    private final Chains chains;
    private final Getter getter;

    /** Used by the event loop during a round, and afterwards by the thread of the worker. */
    private final Histogram latencies = new Histogram(TimeUnit.MINUTES.toNanos(1), DIGITS);

    private FusedCalls fusedBefore = FusedCalls.NONE;

    private ChainRuns(EventLoop loop, Chains chains, Getter getter) {
        this.loop = loop;
        this.chains = chains;
        this.getter = getter;
    }

    /** Connects on the event loop. */
    static ReadyWork open(Chains chains, Function<EventLoop, Future<Getter>> connect) throws Exception {
        var loop = new EventLoop();
        try {
            return new ChainRuns(loop, chains, loop.run(() -> connect.apply(loop)));
        } catch (Exception e) {
            loop.close();
            throw e;
        }
    }

    @Override
    public void prepare() {
        latencies.reset();
        fusedBefore = getter.fused();
    }

    @Override
    public long run() throws Exception {
        loop.run(() -> {
            List<Future<Void>> ends = new ArrayList<>();
            for (int chain = 0; chain < chains.chains(); chain++) {
                ends.add(new Chain(chain).begin());
            }
            return Future.all(ends);
        });
        return chains.chains() * chains.commandsPerChain();
    }

    @Override
    public RoundDetails details() {
        return getter.fused()
                .minus(fusedBefore)
                .addTo(RoundDetails.NONE
                        .withFigure(Chains.P50, latencies.getValueAtPercentile(50) / NANOS_PER_MICRO)
                        .withFigure(Chains.P99, latencies.getValueAtPercentile(99) / NANOS_PER_MICRO));
    }

    @Override
    public void close() throws Exception {
        loop.close();
    }

    /** One chain. Used by the event loop. */
    private final class Chain {

        private final int number;
        private final Promise<Void> end = Promise.promise();
        private long next;

        Chain(int number) {
            this.number = number;
        }

        Future<Void> begin() {
            send();
            return end.future();
        }

        private void send() {
            int key = Chains.keyNumber(number, next++);
            long start = System.nanoTime();
            getter.get(Chains.key(key)).onComplete(value -> received(key, start, value), end::tryFail);
        }

        private void received(int key, long start, String value) {
            latencies.recordValue(System.nanoTime() - start);
            if (!value.equals(Chains.value(key))) {
                end.tryFail("wrong value: key=" + Chains.key(key) + ", value=" + value);
            } else if (next == chains.commandsPerChain()) {
                end.tryComplete();
            } else {
                send();
            }
        }
    }
}
