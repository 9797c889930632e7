// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.jox;

import com.softwaremill.jox.Channel;
import io.millrace.lab.tasks.Approach;
import io.millrace.lab.tasks.Observer;
import io.millrace.lab.tasks.Scenario;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;

/** The approaches with a channel of jox: a virtual thread for each producer and each consumer. */
public final class JoxApproaches {

    /** Tasks, as in the buffers of the other libraries. */
    private static final int BUFFER = 1_000;

    /**
     * Each by the name of its variant, in the order of reports: all are the same program, because a channel holds no
     * thread of the system and knows no order. How many producers there are is the scenario's to say.
     */
    public static Map<String, Approach> all() {
        SequencedMap<String, Approach> all = new LinkedHashMap<>();
        all.put("nonblocking-queue", JoxApproaches::overChannel);
        all.put("two-producers-queue", JoxApproaches::overChannel);
        all.put("unordered", JoxApproaches::overChannel);
        all.put("ten-producers", JoxApproaches::overChannel);
        return all;
    }

    private static void overChannel(Scenario scenario, Observer observer)
            throws ExecutionException, InterruptedException {
        new Crews<>(Channel.<Integer>newBufferedChannel(BUFFER))
                .run(
                        scenario.producers(),
                        (producer, channel) -> {
                            for (int batch = producer; batch < scenario.batches(); batch += scenario.producers()) {
                                Thread.sleep(scenario.produce());
                                observer.produced(batch);
                                for (int task : scenario.batch(batch)) {
                                    channel.send(task);
                                }
                            }
                        },
                        scenario.consumers(),
                        task -> {
                            pause(scenario.consume().get(task));
                            observer.consumed(task);
                        });
    }

    private static void pause(Duration wait) {
        try {
            Thread.sleep(wait);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("the wait of a task was interrupted");
        }
    }

    private JoxApproaches() {}
}
