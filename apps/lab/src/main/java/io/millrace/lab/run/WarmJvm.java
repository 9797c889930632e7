// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import io.millrace.lab.Workloads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * The JVM of one warm contender. Reads a {@link Task} as a line of JSON and answers {@code ready}; then, for each line
 * {@code round}, does the task once and answers with a {@link Measured} as a line of JSON. Ends with its input.
 */
public final class WarmJvm {

    static final String ROUND = "round";

    /** Takes no arguments. */
    public static void main(String[] args) throws Exception {
        var answers = System.out;
        System.setOut(System.err); // what a library prints must not end up between the answers
        var questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var task = JsonMapper.shared().readValue(questions.readLine(), Task.class);
        var contender = Workloads.named(task.workload()).contender(task.contender());
        if (!(contender instanceof WarmContender warm)) {
            throw new IllegalArgumentException("not a warm contender: " + contender.label());
        }
        try (var rounds = warm.open(task)) {
            answers.println("ready");
            answer(rounds, questions, answers);
        }
    }

    private static void answer(WarmContender.Rounds rounds, BufferedReader questions, PrintStream answers)
            throws Exception {
        while (nextIsRound(questions)) {
            var before = ProcessCpu.now();
            long start = System.nanoTime();
            var outcomes = rounds.run();
            double wall = (System.nanoTime() - start) / 1e9;
            var cpu = ProcessCpu.now().minus(before);
            answers.println(JsonMapper.shared()
                    .writeValueAsString(new Measured(wall, cpu.seconds(), cpu.systemSeconds(), outcomes, Map.of())));
        }
    }

    private static boolean nextIsRound(BufferedReader questions) throws IOException {
        var question = questions.readLine();
        if (question == null) {
            return false;
        }
        if (!question.equals(ROUND)) {
            throw new IllegalArgumentException("not understood: " + question);
        }
        return true;
    }

    private WarmJvm() {}
}
