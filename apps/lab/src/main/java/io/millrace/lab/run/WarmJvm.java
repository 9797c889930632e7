// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import io.millrace.lab.Workloads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import tools.jackson.databind.json.JsonMapper;

/**
 * The JVM of one warm contender, or of several that share it. Reads a line at a time and answers each: {@code open}
 * with a {@link Task} as JSON opens a contender, {@code prepare} with a label makes it ready for a round, {@code fill}
 * with a label has it put on the server what that is to find there, {@code round} with a label does its task once,
 * {@code close} with a label closes what was opened. The answer is {@code done}, with a {@link Measured} as JSON after
 * a round, or {@code failed} and why; all {@link News} come before that, as JSON behind a word for their kind. Ends
 * with its input.
 */
public final class WarmJvm {

    static final String OPEN = "open";
    static final String PREPARE = "prepare";
    static final String FILL = "fill";
    static final String ROUND = "round";
    static final String CLOSE = "close";
    static final String DONE = "done";
    static final String FAILED = "failed";
    static final String SECOND = "second";
    static final String STEP = "step";

    private final PrintStream answers;

    /** By the label of the contender. */
    private final Map<String, WarmContender.Rounds> opened = new HashMap<>();

    private WarmJvm(PrintStream answers) {
        this.answers = answers;
    }

    /** Takes no arguments. */
    public static void main(String[] args) throws Exception {
        var answers = System.out;
        System.setOut(System.err); // what a library prints must not end up between the answers
        FirstOfEach.install();
        new WarmJvm(answers).answerAll(new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)));
        System.exit(0); // a thread that a library left must not keep the lab waiting
    }

    private void answerAll(BufferedReader questions) throws IOException {
        for (var question = questions.readLine(); question != null; question = questions.readLine()) {
            var words = question.split(" ", 2);
            try {
                answers.println((DONE + " " + answer(words[0], words[1])).stripTrailing());
            } catch (Exception | LinkageError | OutOfMemoryError e) {
                answers.println(FAILED + " " + Failures.inOneLine(e));
            }
        }
    }

    private String answer(String word, String argument) throws Exception {
        return switch (word) {
            case OPEN -> open(JsonMapper.shared().readValue(argument, Task.class));
            case PREPARE -> prepare(argument);
            case FILL -> fill(argument);
            case ROUND -> JsonMapper.shared().writeValueAsString(round(argument));
            case CLOSE -> close(argument);
            default -> throw new IllegalArgumentException("not understood: " + word);
        };
    }

    private String open(Task task) throws Exception {
        var contender = Workloads.any(task.workload()).contender(task.contender());
        if (!(contender instanceof WarmContender warm)) {
            throw new IllegalArgumentException("not a warm contender: " + contender.label());
        }
        opened.put(task.contender(), warm.open(task));
        return "";
    }

    private String prepare(String label) throws Exception {
        rounds(label).prepare();
        return "";
    }

    private String fill(String label) throws Exception {
        rounds(label).fill();
        return "";
    }

    private WarmContender.Rounds rounds(String label) {
        return Optional.ofNullable(opened.get(label))
                .orElseThrow(() -> new IllegalArgumentException("not opened: " + label));
    }

    private Measured round(String label) throws Exception {
        var rounds = rounds(label);
        var seconds = new ConcurrentLinkedQueue<Second>();
        rounds.watch(news -> {
            if (news instanceof Second second) {
                seconds.add(second);
            }
            answers.println(word(news) + " " + JsonMapper.shared().writeValueAsString(news));
        });
        var before = ProcessCpu.now();
        long start = System.nanoTime();
        var outcomes = rounds.run();
        double wall = (System.nanoTime() - start) / 1e9;
        var cpu = ProcessCpu.now().minus(before).plus(rounds.cpuElsewhere());
        var measured = new Measured(
                wall,
                cpu.seconds(),
                cpu.systemSeconds(),
                outcomes,
                rounds.figures(),
                rounds.complaints(),
                seconds.stream().toList(),
                rounds.trace(),
                rounds.remark());
        rounds.finish();
        return measured;
    }

    private static String word(News news) {
        return switch (news) {
            case Second second -> SECOND;
            case Step step -> STEP;
        };
    }

    private String close(String label) throws Exception {
        var rounds = opened.remove(label);
        if (rounds != null) {
            rounds.close();
        }
        return "";
    }
}
