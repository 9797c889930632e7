// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.lab.experiment.Parameters;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** The three ratios of producer speed to consumer speed. A batch has 100 tasks; there are 100 consumers. */
enum Pace {
    SLOW_PRODUCER("slow-producer", "Slow producer", 1_000, 10, 100),
    BALANCED("balanced", "Balanced", 1_005, 10, 2_000),
    SLOW_CONSUMER("slow-consumer", "Slow consumer", 10, 10, 1_000);

    static final int TASKS = 1_000;
    static final int BATCH = 100;
    static final int CONSUMERS = 100;

    private static final int QUICK_DIVISOR = 10;

    private final String word;
    private final String title;
    private final int produceMillis;
    private final int minConsumeMillis;
    private final int maxConsumeMillis;

    Pace(String word, String title, int produceMillis, int minConsumeMillis, int maxConsumeMillis) {
        this.word = word;
        this.title = title;
        this.produceMillis = produceMillis;
        this.minConsumeMillis = minConsumeMillis;
        this.maxConsumeMillis = maxConsumeMillis;
    }

    /** Name of the scenario. */
    String word() {
        return word;
    }

    String title() {
        return title;
    }

    /** The scenario for {@code parameters}: the size is the number of tasks; quick divides all waits by ten. */
    TaskScenario scenario(Parameters parameters, int producers) {
        long tasks = parameters.size().orElse(TASKS);
        return scenario(parameters.seed(), tasks, parameters.quick() ? QUICK_DIVISOR : 1, producers);
    }

    /**
     * The scenario with waits that are drawn from {@code seed}. The waits are the same for every number of producers.
     *
     * @param tasks number of tasks; rounded up to complete batches
     * @param divisor of all waits, 1 or more
     */
    TaskScenario scenario(long seed, long tasks, int divisor, int producers) {
        int rounded = Math.toIntExact(Math.ceilDiv(tasks, BATCH) * BATCH);
        Random random = new Random(seed + word.hashCode());
        List<Duration> consume = Stream.generate(() -> random.nextInt(minConsumeMillis, maxConsumeMillis + 1))
                .map(millis -> Duration.ofMillis(millis).dividedBy(divisor))
                .limit(rounded)
                .toList();
        return new TaskScenario(
                word,
                producers,
                CONSUMERS,
                BATCH,
                Duration.ofMillis(produceMillis).dividedBy(divisor),
                consume);
    }
}
