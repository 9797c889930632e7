// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.Serverless;
import io.millrace.lab.run.Size;
import io.millrace.lab.tasks.TaskLibraries;
import io.millrace.lab.tasks.TaskLibrary;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What it costs to hand a task over: tasks that do nothing, by one producer and by four, to eight consumers. */
record EmptyTasks() implements Serverless {

    private static final long TASKS_PER_THOUSANDTH = 1_000;
    private static final List<Integer> PRODUCERS = List.of(1, 4);

    @Override
    public String name() {
        return "overhead";
    }

    @Override
    public String experiment() {
        return "e4";
    }

    @Override
    public String variant(Contender contender) {
        return name() + "/" + contender.variant();
    }

    @Override
    public long operations(Size size) {
        return TASKS_PER_THOUSANDTH * size.operations();
    }

    /** Not even two where less than the usual is asked for. */
    @Override
    public int rounds(int asked) {
        return asked <= 2 ? 1 : asked;
    }

    @Override
    public Map<String, Figure> figures() {
        return Map.of("ns per task", Figure.NANOS_PER_OPERATION);
    }

    @Override
    public List<Contender> contenders() {
        return PRODUCERS.stream()
                .flatMap(producers -> TaskLibraries.all().stream().flatMap(library -> of(library, producers)))
                .toList();
    }

    private static Stream<Contender> of(TaskLibrary library, int producers) {
        return new TreeMap<>(library.machineries())
                .entrySet().stream()
                        .map(machinery ->
                                new HandingOver(library.name(), machinery.getKey(), machinery.getValue(), producers));
    }
}
