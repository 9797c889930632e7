// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmaps;

import io.millrace.lab.experiment.Comparison;
import io.millrace.lab.library.BitByBit;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A library that stores random bits with a {@code SETBIT} for each. */
record SetBits(BitByBit.Source source) implements WarmContender {

    @Override
    public String name() {
        return source.name();
    }

    @Override
    public String variant() {
        return "population-setbit";
    }

    @Override
    public String jvm() {
        return name();
    }

    @Override
    public String note() {
        return source.note() + "; a SETBIT for each bit, of a tenth of the bits, then BITCOUNT; the bits are ready";
    }

    @Override
    public Rounds open(Task task) throws Exception {
        return new Setting(
                source.opener().open(task.endpoint()), new RandomBits(task.operations()).packed(), task.operations());
    }

    private static final class Setting implements Rounds {

        private final BitByBit library;
        private final byte[] bits;
        private final long count;

        /** Of the last round. */
        private long counted;

        private double countMicros;

        Setting(BitByBit library, byte[] bits, long count) {
            this.library = library;
            this.bits = bits;
            this.count = count;
        }

        @Override
        public Optional<Outcomes> run() throws Exception {
            var outcomes = library.set(RandomBits.KEY, bits, count);
            long start = System.nanoTime();
            counted = library.count(RandomBits.KEY);
            countMicros = (System.nanoTime() - start) / 1e3;
            return Optional.of(outcomes);
        }

        @Override
        public List<String> complaints() {
            return Comparison.complaints("ones", List.of(RandomBits.ones(bits)), List.of(counted));
        }

        @Override
        public Map<String, Double> figures() {
            return Map.of(StoredBits.COUNT_MICROS, countMicros);
        }

        @Override
        public void close() throws Exception {
            library.close();
        }
    }
}
