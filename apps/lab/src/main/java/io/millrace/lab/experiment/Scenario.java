// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The same work for several contenders, which are compared with each other.
 *
 * @param name unique within the experiment, such as {@code 64-callers}
 * @param title a few words for the heading of a table or a chart
 * @param unit what {@link Sample#operations} counts, in the plural, such as {@code commands}
 * @param contenders in the order of the tables; the schedule rotates them
 * @param plan how many processes and rounds each contender has
 * @param server what the scenario needs from the server
 * @param otherServers what single contenders need instead, by their labels
 * @param roundTrip added to each round trip by a proxy, if the user names no round trips and the server is on this
 *     machine; zero for none
 * @param figures columns in addition to the usual columns, by their headings
 * @param bars limits that Millrace promises
 * @param measure the figure by which contenders are compared; empty if nothing is compared
 * @param isComparedByMode whether a mode is compared with the same mode of other libraries; otherwise each library takes
 *     part with the best of its modes
 * @param base name of a scenario of the same experiment that does the same in another way; reports show the ratio to
 *     this scenario
 */
public record Scenario(
        String name,
        String title,
        String unit,
        List<Contender> contenders,
        RoundPlan plan,
        ServerUse server,
        Map<String, ServerUse> otherServers,
        Duration roundTrip,
        Map<String, Figure> figures,
        List<Bar> bars,
        Optional<Measure> measure,
        boolean isComparedByMode,
        Optional<String> base) {

    public Scenario {
        contenders = List.copyOf(contenders);
        otherServers = Map.copyOf(otherServers);
        figures = Collections.unmodifiableMap(new LinkedHashMap<>(figures));
        bars = List.copyOf(bars);
    }

    /**
     * The contender with this {@linkplain Contender#label label}.
     *
     * @throws IllegalArgumentException if there is none
     */
    public Contender contender(String label) {
        return contenders.stream()
                .filter(candidate -> candidate.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such contender: scenario=" + name + ", contender="
                        + label + ". There are: "
                        + contenders.stream().map(Contender::label).toList()));
    }

    /** What {@code contender} needs from the server. */
    public ServerUse server(Contender contender) {
        return otherServers.getOrDefault(contender.label(), server);
    }

    public static Builder named(String name, String title) {
        return new Builder(name, title);
    }

    /** Collects the parts of a scenario. Commands, the usual plan and an unused server are the defaults. */
    public static final class Builder {

        private final String name;
        private final String title;
        private final List<Contender> contenders = new ArrayList<>();
        private final Map<String, ServerUse> otherServers = new HashMap<>();
        private final Map<String, Figure> figures = new LinkedHashMap<>();
        private final List<Bar> bars = new ArrayList<>();
        private String unit = "commands";
        private RoundPlan plan = RoundPlan.USUAL;
        private ServerUse server = ServerUse.NONE;
        private Duration roundTrip = Duration.ZERO;
        private Optional<Measure> measure = Optional.empty();
        private boolean isCompared = true;
        private boolean isComparedByMode;
        private Optional<String> base = Optional.empty();

        private Builder(String name, String title) {
            this.name = name;
            this.title = title;
        }

        public Builder unit(String plural) {
            unit = plural;
            return this;
        }

        public Builder contenders(List<? extends Contender> added) {
            contenders.addAll(added);
            return this;
        }

        public Builder contender(Contender added) {
            contenders.add(added);
            return this;
        }

        /** Adds a contender that needs something else from the server than the others. */
        public Builder contender(Contender added, ServerUse use) {
            otherServers.put(added.label(), use);
            return contender(added);
        }

        public Builder plan(RoundPlan newPlan) {
            plan = newPlan;
            return this;
        }

        public Builder server(ServerUse use) {
            server = use;
            return this;
        }

        public Builder roundTrip(Duration added) {
            roundTrip = added;
            return this;
        }

        public Builder figure(String heading, Figure figure) {
            figures.put(heading, figure);
            return this;
        }

        public Builder bars(Bar... added) {
            bars.addAll(List.of(added));
            return this;
        }

        /** Compares contenders by {@code figure} instead of operations per second. */
        public Builder comparedBy(String heading, Figure figure, boolean lessIsBetter) {
            measure = Optional.of(new Measure(heading, figure, lessIsBetter));
            return this;
        }

        /** Shows the figures of the contenders without a comparison. */
        public Builder notCompared() {
            isCompared = false;
            return this;
        }

        /** Compares each mode with the same mode of the other libraries. */
        public Builder comparedByMode() {
            isComparedByMode = true;
            return this;
        }

        /** Reports show the ratio of each library to the same library in the scenario {@code name}. */
        public Builder relativeTo(String name) {
            base = Optional.of(name);
            return this;
        }

        public Scenario build() {
            Optional<Measure> compared =
                    isCompared ? Optional.of(measure.orElseGet(() -> Measure.rate(unit))) : Optional.empty();
            return new Scenario(
                    name,
                    title,
                    unit,
                    contenders,
                    plan,
                    server,
                    otherServers,
                    roundTrip,
                    figures,
                    bars,
                    compared,
                    isComparedByMode,
                    base);
        }
    }
}
