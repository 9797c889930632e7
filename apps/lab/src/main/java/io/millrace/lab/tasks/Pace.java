// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.lab.experiment.Parameters;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;

/** The three ratios of producer speed to consumer speed, with the waits of the reference measurement. */
enum Pace {
    SLOW_PRODUCER("Slow producer", 1_000, 100, Duration.ofSeconds(5)),
    BALANCED("Balanced", 1_005, 2_000, Duration.ofSeconds(12)),
    SLOW_CONSUMER("Slow consumer", 10, 1_000, Duration.ofSeconds(5));

    static final int TASKS = 1_000;
    static final int BATCH = 100;
    static final int CONSUMERS = 100;

    private static final int MIN_CONSUME_MILLIS = 10;

    private final String title;
    private final int produceMillis;
    private final int maxConsumeMillis;

    /** With the waits of the reference measurement, the shortest of its seven approaches takes about this long. */
    private final Duration shortest;

    Pace(String title, int produceMillis, int maxConsumeMillis, Duration shortest) {
        this.title = title;
        this.produceMillis = produceMillis;
        this.maxConsumeMillis = maxConsumeMillis;
        this.shortest = shortest;
    }

    /** Name of the scenario. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Title of the scenario, with the divisor of the waits. */
    String title(Parameters parameters) {
        int divisor = divisor(parameters);
        return divisor == 1 ? title : title + ", all waits divided by " + divisor;
    }

    /**
     * All waits of all scenarios are divided by this number, so that the shortest of the seven approaches takes about
     * one second, half a second if quick, or the duration that the user has set. From 12 seconds the waits are equal to
     * the waits of the reference.
     */
    private int divisor(Parameters parameters) {
        Duration wanted = parameters.duration().orElse(Duration.ofMillis(parameters.quick() ? 350 : 1_000));
        return Math.toIntExact(Math.max(1, shortest.toNanos() / Math.max(1, wanted.toNanos())));
    }

    /** The seven approaches of the reference are measured at every pace; the others where the effect can be seen. */
    boolean measures(ApproachMode mode) {
        return switch (mode) {
            case STREAM_ORDERED_LARGE, UNORDERED, WORK_STEALING -> this == BALANCED;
            case TEN_PRODUCERS -> this == SLOW_PRODUCER;
            default -> true;
        };
    }

    /** The scenario for {@code parameters}. The size is the number of tasks. */
    TaskScenario scenario(Parameters parameters, int producers) {
        return scenario(parameters.seed(), parameters.size().orElse(TASKS), divisor(parameters), producers);
    }

    /**
     * The scenario with waits that are drawn from {@code seed}. The waits are the same for every number of producers.
     *
     * @param tasks number of tasks; rounded up to complete batches
     * @param divisor of all waits, 1 or more
     */
    TaskScenario scenario(long seed, long tasks, int divisor, int producers) {
        Random random = new Random(seed + word().hashCode());
        List<Duration> consume = Stream.generate(() -> random.nextInt(MIN_CONSUME_MILLIS, maxConsumeMillis + 1))
                .map(millis -> Duration.ofMillis(millis).dividedBy(divisor))
                .limit(Math.ceilDiv(tasks, BATCH) * BATCH)
                .toList();
        Duration produce = Duration.ofMillis(produceMillis).dividedBy(divisor);
        return new TaskScenario(word(), producers, CONSUMERS, BATCH, produce, consume);
    }
}
