// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;

/** The three ways in which producers and consumers differ in speed: 1,000 tasks, 100 a batch, 100 consumers. */
public enum Pace {
    SLOW_PRODUCER("slow-producer", 1_000, 10, 100),
    BALANCED("balanced", 1_005, 10, 2_000),
    SLOW_CONSUMER("slow-consumer", 10, 10, 1_000);

    /** The waits are whole when divided by it; {@code --quick} asks for a tenth of them. */
    public static final int FULL = 1_000;

    /** The default seed. A fixed number makes runs comparable. */
    public static final long DEFAULT_SEED = 2_026;

    public static final int TASKS = 1_000;
    private static final int BATCH = 100;
    private static final int CONSUMERS = 100;
    private static final long NANOS_PER_THOUSANDTH = 1_000; // of a millisecond

    private final String word;
    private final int produceMillis;
    private final int leastMillis;
    private final int mostMillis;

    Pace(String word, int produceMillis, int leastMillis, int mostMillis) {
        this.word = word;
        this.produceMillis = produceMillis;
        this.leastMillis = leastMillis;
        this.mostMillis = mostMillis;
    }

    /** The word in variants. */
    public String word() {
        return word;
    }

    /**
     * The scenario with this seed's waits: whole milliseconds, each as likely as any other, the same for any number of
     * producers and, but for the scale, at any.
     *
     * @param thousandths of the full waits, from 1
     */
    public Scenario scenario(long seed, long thousandths, int producers) {
        if (thousandths < 1) {
            throw new IllegalArgumentException("no waits: thousandths=" + thousandths + ". Ask for 1 or more.");
        }
        var random = new Random(seed + word.hashCode());
        var consume = Stream.generate(() -> scaled(random.nextInt(leastMillis, mostMillis + 1), thousandths))
                .limit(TASKS)
                .toList();
        return new Scenario(word, producers, CONSUMERS, BATCH, scaled(produceMillis, thousandths), consume);
    }

    private static Duration scaled(int millis, long thousandths) {
        return Duration.ofNanos(millis * thousandths * NANOS_PER_THOUSANDTH);
    }
}
