// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.jox;

import io.millrace.lab.tasks.Approach;
import io.millrace.lab.tasks.Machinery;
import io.millrace.lab.tasks.Plan;
import io.millrace.lab.tasks.TaskLibrary;
import java.util.Map;

/** Channels of jox between virtual threads. */
public final class JoxTasks implements TaskLibrary {

    @Override
    public String name() {
        return "jox";
    }

    @Override
    public Map<Plan, Described<Approach>> approaches() {
        return Described.approaches(
                JoxApproaches.all(),
                Map.ofEntries(
                        Map.entry(
                                "nonblocking-queue",
                                "a channel of 1,000, a virtual thread for each producer and consumer"),
                        Map.entry(
                                "two-producers-queue",
                                "a channel of 1,000, a virtual thread for each producer and consumer"),
                        Map.entry("unordered", "a channel of 1,000, a virtual thread for each producer and consumer"),
                        Map.entry(
                                "ten-producers",
                                "a channel of 1,000, a virtual thread for each producer and consumer")));
    }

    @Override
    public Map<String, Described<Machinery>> machineries() {
        return Described.each(
                JoxMachineries.all(),
                Map.of("channel-1000", "a channel of 1,000", "channel-16", "a channel of 16, the default"));
    }
}
