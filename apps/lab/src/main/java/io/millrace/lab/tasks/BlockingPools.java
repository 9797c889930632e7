// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.tasks.fs2.CatsBlockingPool;
import io.millrace.tasks.RunningTaskFlow;
import io.millrace.tasks.Source;
import io.millrace.tasks.TaskFlow;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;

/** The pools on which tasks block, one entry each. */
final class BlockingPools {

    /** Equal for all. With these options, no JVM is shared with other scenarios. */
    private static final List<String> JVM_OPTIONS = List.of("-Xmx512m");

    private static final String JAVA = "https://docs.oracle.com/en/java/javase/21/";

    /** Contenders that block {@code tasks} tasks. */
    static List<JvmContender> contenders(int tasks) {
        return List.of(
                contender(
                        new Description(
                                "millrace",
                                "task-flow",
                                "TaskFlow with a consumer for each task, on virtual threads",
                                "docs/tasks.md"),
                        FlowPool::new,
                        tasks),
                contender(
                        new Description(
                                "fs2",
                                "io-blocking",
                                "IO.blocking of cats-effect, which adds a thread for each blocked task",
                                "https://typelevel.org/cats-effect/docs/thread-model"),
                        number -> new CatsBlockingPool(),
                        tasks),
                contender(
                        new Description(
                                "jdk",
                                "cached-thread-pool",
                                "Executors.newCachedThreadPool()",
                                JAVA + "docs/api/java.base/java/util/concurrent/Executors.html"),
                        number -> new ExecutorPool(Executors.newCachedThreadPool()),
                        tasks),
                contender(
                        new Description(
                                "jdk",
                                "virtual-threads",
                                "Executors.newVirtualThreadPerTaskExecutor()",
                                JAVA + "core/virtual-threads.html"),
                        number -> new ExecutorPool(Executors.newVirtualThreadPerTaskExecutor()),
                        tasks));
    }

    private static JvmContender contender(Description description, BlockedTasks.PoolFactory pool, int tasks) {
        return new JvmContender(
                description,
                context -> new BlockedTasks(
                        pool, Math.toIntExact(context.parameters().size().orElse(tasks))),
                JVM_OPTIONS,
                target -> Optional.empty());
    }

    private record ExecutorPool(ExecutorService executor) implements BlockingPool {

        @Override
        public void start(Runnable task) {
            executor.execute(task);
        }

        @Override
        public void close() {
            executor.close();
        }
    }

    /** A flow whose source takes the tasks from a queue. An empty element is the end. */
    private static final class FlowPool implements BlockingPool {

        private final BlockingQueue<Optional<Runnable>> queue = new LinkedBlockingQueue<>();
        private final RunningTaskFlow<Runnable> flow;

        FlowPool(int tasks) {
            Source<Runnable> source = () -> queue.take().stream().toList();
            flow = TaskFlow.from(source).consumers(tasks).start(Runnable::run);
        }

        @Override
        public void start(Runnable task) {
            queue.add(Optional.of(task));
        }

        @Override
        public void close() {
            queue.add(Optional.empty());
            try (flow) {
                var unused = flow.await();
            }
        }
    }

    private BlockingPools() {}
}
