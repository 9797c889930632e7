// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.reactor;

import io.millrace.lab.tasks.Approach;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Function;
import reactor.core.publisher.Flux;

/** The approaches in Reactor. Its flows fetch ahead by nature, so there is no ordered one without prefetch. */
public final class ReactorApproaches {

    /** As many tasks as in the buffers of the other libraries, in batches of 100. */
    static final int BATCHES_AHEAD = 10;

    /**
     * Each by the name of its variant, in the order of reports. How many producers there are is the scenario's to say.
     */
    public static Map<String, Approach> all() {
        SequencedMap<String, Approach> all = new LinkedHashMap<>();
        all.put("batch", approach(ScenarioFlows::batchByBatch));
        all.put("stream-ordered-prefetch", approach(ScenarioFlows::ordered));
        all.put("two-producers-streams", approach(ScenarioFlows::ordered));
        all.put("unordered", approach(ScenarioFlows::unordered));
        all.put("ten-producers", approach(ScenarioFlows::unordered));
        return all;
    }

    private static Approach approach(Function<ScenarioFlows, Flux<?>> flow) {
        return (scenario, observer) -> Threads.run(scheduler ->
                flow.apply(new ScenarioFlows(scenario, observer, scheduler)).then());
    }

    private ReactorApproaches() {}
}
