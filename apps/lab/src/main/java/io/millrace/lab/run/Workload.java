// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** Something to be done to a server, the same for each contender that enters, and what is promised about it. */
public interface Workload {

    /** A round trip from which on a server is distant; loopback takes a tenth of it. */
    Duration FAR = Duration.ofNanos(300_000);

    /** The longest round of whoever waits for each reply of a distant server. */
    Duration LONGEST_WAIT = Duration.ofMinutes(1);

    /** The name that is unique among workloads, such as {@code csv-hash}. */
    String name();

    /** The experiment it belongs to; by default it is one of its own. */
    default String experiment() {
        return name();
    }

    /** What {@code contender} is called within the experiment. */
    default String variant(Contender contender) {
        return contender.variant();
    }

    /**
     * How many commands or rows one round is, for the size that was asked for; an estimate if rounds are limited by
     * time.
     */
    long operations(Size size);

    /** Whether it makes sense to say how many times as fast as the first variant each is. */
    default boolean hasFactors() {
        return true;
    }

    /**
     * The same for one contender over one route: a tenth for those that wait for every reply of a distant server, and
     * no more than one after the other would take a minute.
     *
     * @param distance a round trip, as measured
     */
    default long operations(Size size, Contender contender, Duration distance) {
        long all = operations(size);
        if (!contender.waits() || distance.compareTo(FAR) <= 0) {
            return all;
        }
        return Math.clamp(all / 10, 1, Math.max(1, LONGEST_WAIT.dividedBy(distance)));
    }

    /**
     * The time that {@code run} would have taken if nothing but what limits its contender on purpose did; empty if that
     * is not known.
     */
    default OptionalDouble idealSeconds(Run run) {
        return OptionalDouble.empty();
    }

    /** Figures of each run that are shown beside the usual ones, by the heads of their columns. */
    default Map<String, Figure> figures() {
        return Map.of();
    }

    /** Whether it is about a server; those that are not are {@link Serverless}. */
    default boolean needsServer() {
        return true;
    }

    /** Whether it is run when nobody names workloads. */
    default boolean runByDefault() {
        return true;
    }

    /**
     * Rounds before those that count: by default one. More where a round is short, because a JVM goes on compiling for
     * seconds; none where it is always a new JVM that is measured. Never more than rounds are asked for.
     */
    default int warmUps() {
        return 1;
    }

    /** How many rounds count if {@code asked} are asked for; fewer where one tells as much as several. */
    default int rounds(int asked) {
        return asked;
    }

    /** Those who do it, in the order of their turns. */
    List<Contender> contenders();

    /** What is to hold between them. */
    default List<Bar> bars() {
        return List.of();
    }

    /** Makes what the contenders are fed, in {@code folder}; none of this is timed. */
    default Inputs prepare(Path folder, long operations) {
        return Inputs.of(Map.of());
    }

    /** Puts on the empty server what a round of {@code operations} is to find there. Not timed. */
    default void fill(RedisServer server, long operations) {}

    /** How what a round left on the server is checked; never asked for where none is needed. */
    Check check();

    /** The same for one contender; for those whose data cannot be what the others' is. */
    default Check check(Contender contender) {
        return check();
    }

    /**
     * The contender of this workload with this label.
     *
     * @throws IllegalArgumentException if there is none
     */
    default Contender contender(String label) {
        return contenders().stream()
                .filter(contender -> contender.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such contender: workload=" + name() + ", contender="
                        + label + ". There are: "
                        + contenders().stream().map(Contender::label).toList()));
    }
}
