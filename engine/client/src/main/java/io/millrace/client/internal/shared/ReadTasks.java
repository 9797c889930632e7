// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Collects the calls of one read that executors of the user complete: one task for each executor. Owned by the thread
 * with the reading role.
 */
final class ReadTasks {

    /**
     * Number of executors among which a call finds its task. With more executors in one read, an executor may get
     * several tasks, in order. The limit keeps the reader fast if each call has an executor of its own.
     */
    private static final int MAX_SEARCHED = 8;

    private record ReadTask(ExecutorTask task, OutcomeDispatcher dispatcher) {}

    private final List<ReadTask> tasks = new ArrayList<>();

    /** Adds a call that has received its last reply. */
    void add(CallerSubmission call, FutureCompletion<?> completion, Executor executor) {
        int end = Math.max(0, tasks.size() - MAX_SEARCHED);
        for (int i = tasks.size() - 1; i >= end; i--) {
            ExecutorTask task = tasks.get(i).task;
            if (OutcomeDispatcher.isSame(task.executor(), executor)) {
                ExecutorTask unused = task.plus(call);
                return;
            }
        }
        FutureCompleter completions = completion.completions();
        tasks.add(new ReadTask(new ExecutorTask(executor, completions.slots()).plus(call), completions.dispatcher()));
    }

    /** Hands the tasks to the dispatcher, after all replies of the read. */
    void offer() {
        for (int i = 0; i < tasks.size(); i++) {
            tasks.get(i).dispatcher.offerFromReader(tasks.get(i).task);
        }
        tasks.clear();
    }
}
