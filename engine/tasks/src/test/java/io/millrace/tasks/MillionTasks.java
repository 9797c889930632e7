// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.io.IOException;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Runs many tasks of one kilobyte each through a buffer of 1,000 tasks. */
final class MillionTasks {

    private static final int TASKS = Integer.getInteger("millrace.tasks", 0);

    private MillionTasks() {}

    public static void main(String[] args) {
        Stream<byte[]> tasks = IntStream.range(0, TASKS).mapToObj(number -> {
            byte[] task = new byte[1_024];
            task[0] = (byte) number;
            return task;
        });
        TaskFlow<byte[]> taskFlow =
                TaskFlow.from(Source.of(tasks)).buffer(1_000).consumers(8);
        System.out.println(
                switch (args[0]) {
                    case "run" -> taskFlow.run(task -> {}).counts();
                    case "stealing" -> taskFlow.workStealing().run(task -> {}).counts();
                    case "keys" ->
                        taskFlow.sequentialPer(task -> task[0]).run(task -> {}).counts();
                    case "results" -> counts(taskFlow.results(task -> task));
                    case "ordered" -> counts(taskFlow.orderedResults(task -> task));
                    case "failing" ->
                        taskFlow.continueOnFailure().run(MillionTasks::fail).counts();
                    default -> throw new IllegalArgumentException(args[0]);
                });
    }

    private static TaskCounts counts(Results<byte[], byte[]> results) {
        try (results) {
            long count = results.stream().count();
            if (count != TASKS) {
                throw new IllegalStateException("results: " + count);
            }
            return results.counts();
        }
    }

    private static void fail(byte[] task) throws IOException {
        throw new IOException("refused: " + task.length);
    }
}
