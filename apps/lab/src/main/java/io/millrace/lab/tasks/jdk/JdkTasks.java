// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks.jdk;

import io.millrace.lab.contender.Callers;
import io.millrace.lab.tasks.Approach;
import io.millrace.lab.tasks.Machinery;
import io.millrace.lab.tasks.Plan;
import io.millrace.lab.tasks.TaskLibrary;
import java.util.Map;

/** What comes with Java: virtual threads and {@code java.util.concurrent}. */
public final class JdkTasks implements TaskLibrary {

    @Override
    public String name() {
        return "jdk";
    }

    @Override
    public Map<Plan, Described<Approach>> approaches() {
        var queue = new Described<Approach>(
                JdkApproaches::blockingQueue, "ArrayBlockingQueue of 1,000, a virtual thread for each consumer");
        return Map.of(
                Plan.BATCH,
                new Described<>(JdkApproaches::batchByBatch, "invokeAll on a pool of virtual threads"),
                Plan.BLOCKING_QUEUE,
                queue,
                Plan.NONBLOCKING_QUEUE,
                new Described<>(
                        JdkApproaches::nonBlockingQueue,
                        "ConcurrentLinkedQueue, and a Semaphore that counts what is in it; a virtual thread for each consumer"),
                Plan.TWO_PRODUCERS_QUEUE,
                queue,
                Plan.TEN_PRODUCERS,
                queue);
    }

    @Override
    public Map<String, Described<Machinery>> machineries() {
        return Map.of(
                "",
                new Described<>(new JdkMachinery(Callers.VIRTUAL), "ArrayBlockingQueue of 1,000, virtual threads"),
                "platform-threads",
                new Described<>(new JdkMachinery(Callers.PLATFORM), "ArrayBlockingQueue of 1,000, platform threads"));
    }
}
