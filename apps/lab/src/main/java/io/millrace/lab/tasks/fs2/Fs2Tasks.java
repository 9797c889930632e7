// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.fs2;

import io.millrace.lab.tasks.Approach;
import io.millrace.lab.tasks.Machinery;
import io.millrace.lab.tasks.Plan;
import io.millrace.lab.tasks.TaskLibrary;
import java.util.Map;

/** fs2 with cats-effect, in Scala. */
public final class Fs2Tasks implements TaskLibrary {

    @Override
    public String name() {
        return "fs2";
    }

    @Override
    public Map<Plan, Described<Approach>> approaches() {
        return Described.approaches(
                Fs2Approaches.all(),
                Map.ofEntries(
                        Map.entry("batch", "parTraverseN over a batch, then the next"),
                        Map.entry(
                                "blocking-queue",
                                "ArrayBlockingQueue of 1,000 with IO.interruptible, a fiber for each consumer"),
                        Map.entry("nonblocking-queue", "Queue.bounded of 1,000, a fiber for each consumer"),
                        Map.entry("stream-ordered", "parEvalMap"),
                        Map.entry("stream-ordered-prefetch", "prefetch and parEvalMap"),
                        Map.entry("two-producers-queue", "Queue.bounded of 1,000, a fiber for each consumer"),
                        Map.entry("two-producers-streams", "parJoin and parEvalMap"),
                        Map.entry("unordered", "prefetchN of ten batches and parEvalMapUnordered"),
                        Map.entry("ten-producers", "parJoin, prefetchN of ten batches and parEvalMapUnordered")));
    }

    @Override
    public Map<String, Described<Machinery>> machineries() {
        var machineries = Described.each(
                Fs2Machineries.all(),
                Map.of(
                        "map-unordered",
                        "parEvalMapUnordered over numbers that come in chunks of 1,000",
                        "map-unordered-chunks",
                        "parEvalMapUnordered over the chunks of 1,000 themselves",
                        "queue",
                        "Queue.bounded of 1,000 between fibers"));
        machineries.computeIfPresent(
                "map-unordered-chunks",
                (name, chunks) -> chunks.butUnfair("a consumer is handed a thousand tasks at once, not one"));
        return machineries;
    }
}
