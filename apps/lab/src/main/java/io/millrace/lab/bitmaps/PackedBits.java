// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmaps;

import io.millrace.bitmap.PopulationOptions;
import io.millrace.bitmap.Populations;
import io.millrace.client.RedisClient;
import io.millrace.lab.experiment.Comparison;
import io.millrace.lab.library.MillraceConnections;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What Millrace would have one write: {@code Populations} make, pack and send the bits. */
record PackedBits() implements WarmContender {

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    public String variant() {
        return "population-packed";
    }

    @Override
    public String jvm() {
        return name();
    }

    @Override
    public String note() {
        return "Populations.store with default options, then Population.count; the bits are made meanwhile, which is timed with it";
    }

    @Override
    public Rounds open(Task task) {
        return new Storing(
                RedisClient.connect(MillraceConnections.builder(task.endpoint()).build()), task.operations());
    }

    private static final class Storing implements Rounds {

        private final RedisClient client;
        private final Populations populations;
        private final long bits;

        /** As the lab itself counts them. */
        private final long expected;

        /** Of the last round: as counted while they were made, and by the server. */
        private long made;

        private long counted;
        private double countMicros;

        Storing(RedisClient client, long bits) {
            this.client = client;
            this.populations = Populations.of(client, PopulationOptions.DEFAULT);
            this.bits = bits;
            this.expected = RandomBits.ones(new RandomBits(bits).packed());
        }

        @Override
        public Optional<Outcomes> run() {
            var population = populations.store(RandomBits.NAME, bits, RandomBits.SOURCE);
            made = population.ones();
            long start = System.nanoTime();
            counted = population.count();
            countMicros = (System.nanoTime() - start) / 1e3;
            return Optional.of(Outcomes.answered(bits, 0));
        }

        @Override
        public List<String> complaints() {
            return Comparison.complaints("ones", List.of(expected, expected), List.of(made, counted));
        }

        @Override
        public Map<String, Double> figures() {
            return Map.of(StoredBits.COUNT_MICROS, countMicros);
        }

        @Override
        public Optional<String> remark() {
            return Optional.of(String.format(
                    Locale.ROOT, "%,d bits, of which the client set %,d and BITCOUNT found %,d", bits, made, counted));
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
