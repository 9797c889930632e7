// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import tools.jackson.databind.json.JsonMapper;

/**
 * The lab's end of a contenders' JVM, {@link WarmJvm}, which is asked for one round at a time. Between its rounds it
 * waits in a read and takes no CPU from the others. Used by one thread.
 */
final class WarmProcess implements AutoCloseable {

    private final String name;
    private final List<String> command;
    private final Process process;
    private final EndWithJvm end;
    private final Writer questions;
    private final BufferedReader answers;

    /** Whether it was killed from here; written by the thread that ends the JVM too. */
    private volatile boolean killed;

    /** The contenders that are open. Not empty at the end if the JVM has failed. */
    private final Set<String> opened = new HashSet<>();

    private WarmProcess(String name, List<String> command, Process process) {
        this.name = name;
        this.command = command;
        this.process = process;
        this.end = EndWithJvm.doing(this::kill);
        this.questions = process.outputWriter(StandardCharsets.UTF_8);
        this.answers = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Takes an idle JVM, or starts one, for {@code contender} and the contenders that share it. */
    static WarmProcess take(WarmContender contender) {
        var command = command(contender);
        return IdleJvms.take(command)
                .map(idle -> new WarmProcess(contender.jvm(), command, idle))
                .orElseGet(() -> start(contender));
    }

    private static List<String> command(WarmContender contender) {
        return Tools.jvm(WarmJvm.class, contender.jvmOptions());
    }

    /** Starts a JVM for {@code contender} and the contenders that share it. */
    static WarmProcess start(WarmContender contender) {
        var command = command(contender);
        try {
            return new WarmProcess(
                    contender.jvm(),
                    command,
                    new ProcessBuilder(command).redirectError(Redirect.INHERIT).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Returns when the contender of {@code task} has opened what it needs. */
    void open(Task task) {
        opened.add(task.contender());
        ask(WarmJvm.OPEN, JsonMapper.shared().writeValueAsString(task), news -> {});
    }

    /** Returns when the contender {@code label} is ready for its next round. */
    void prepare(String label) {
        ask(WarmJvm.PREPARE, label, news -> {});
    }

    /** Returns when the contender {@code label} has put on the server what its next round is to find there. */
    void fill(String label) {
        ask(WarmJvm.FILL, label, news -> {});
    }

    /** One round of the contender {@code label}; {@code live} is told how it goes. */
    Measured round(String label, Consumer<News> live) {
        return JsonMapper.shared().readValue(ask(WarmJvm.ROUND, label, live), Measured.class);
    }

    /**
     * Has what was opened for the contender {@code label} closed. Its rounds are over: a failure is told, and changes
     * nothing.
     */
    void close(String label) {
        if (process.isAlive()) {
            try {
                ask(WarmJvm.CLOSE, label, news -> {});
                opened.remove(label);
            } catch (LabException e) {
                if (!killed) {
                    System.err.println("lab: " + e.getMessage());
                }
            }
        }
    }

    private String ask(String word, String argument, Consumer<News> live) {
        try {
            questions.write(word + " " + argument + "\n");
            questions.flush();
            // The read itself cannot be given a limit, so it is made on a thread of its own.
            var answer = CompletableFuture.supplyAsync(() -> readAnswer(live), Thread::startVirtualThread)
                    .get(WholeProcess.LIMIT.toMinutes(), TimeUnit.MINUTES);
            var words = answer.split(" ", 2);
            if (words[0].equals(WarmJvm.DONE)) {
                return words.length == 1 ? "" : words[1];
            }
            throw new LabException(name + ", asked to " + word + ", failed: "
                    + (words.length == 1 ? "its JVM ended, and its own words are above" : words[1]));
        } catch (IOException | ExecutionException e) {
            throw new LabException(name + " cannot be asked: question=" + word + ", cause=" + e.getMessage(), e);
        } catch (TimeoutException e) {
            kill();
            throw new LabException(
                    name + " did not answer: waited=" + WholeProcess.LIMIT.toMinutes() + " min. It was ended.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted while " + name + " was running", e);
        }
    }

    /**
     * The next line that is an answer; empty at the end of the output. A native library may print there what is none.
     */
    private String readAnswer(Consumer<News> live) {
        try {
            for (var line = answers.readLine(); line != null; line = answers.readLine()) {
                var words = line.split(" ", 2);
                switch (words[0]) {
                    case WarmJvm.DONE, WarmJvm.FAILED -> {
                        return line;
                    }
                    case WarmJvm.SECOND -> live.accept(JsonMapper.shared().readValue(words[1], Second.class));
                    case WarmJvm.STEP -> live.accept(JsonMapper.shared().readValue(words[1], Step.class));
                    default -> System.err.println(name + ": " + line);
                }
            }
            return "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        if (opened.isEmpty() && !killed && process.isAlive() && IdleJvms.keep(command, process)) {
            end.callOff();
            return;
        }
        try {
            questions.close(); // end of input: the other side closes what it opened, and ends
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                kill();
            }
        } catch (IOException e) {
            kill();
        } catch (InterruptedException e) {
            kill();
            Thread.currentThread().interrupt();
        }
        end.callOff();
    }

    /** Kills it and waits until it is gone: what it did to the server is to be over when this returns. */
    private void kill() {
        killed = true;
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
