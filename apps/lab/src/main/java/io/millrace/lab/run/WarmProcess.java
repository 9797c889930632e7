// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The lab's end of a contender's own JVM, {@link WarmJvm}, which is asked for one round at a time. Between its rounds it
 * waits in a read and takes no CPU from the others. Used by one thread.
 */
final class WarmProcess implements Entrant {

    private final String label;
    private final Process process;
    private final Thread endWithJvm;
    private final Writer questions;
    private final BufferedReader answers;

    private WarmProcess(String label, Process process) {
        this.label = label;
        this.process = process;
        this.endWithJvm = new Thread(process::destroyForcibly);
        this.questions = process.outputWriter(StandardCharsets.UTF_8);
        this.answers = process.inputReader(StandardCharsets.UTF_8);
        Runtime.getRuntime().addShutdownHook(endWithJvm);
    }

    /** Starts the JVM of {@code contender} and returns when it has opened what it needs. */
    static WarmProcess start(WarmContender contender, Task task) {
        var command = List.of(
                Tools.java(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                Tools.classPathText(),
                WarmJvm.class.getName());
        try {
            var process = new WarmProcess(
                    contender.label(),
                    new ProcessBuilder(command).redirectError(Redirect.INHERIT).start());
            process.expectReady(task);
            return process;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void expectReady(Task task) {
        try {
            ask(JsonMapper.shared().writeValueAsString(task));
        } catch (LabException e) {
            close();
            throw e;
        }
    }

    @Override
    public Measured round() {
        return JsonMapper.shared().readValue(ask(WarmJvm.ROUND), Measured.class);
    }

    private String ask(String question) {
        try {
            questions.write(question + "\n");
            questions.flush();
            // The read itself cannot be given a limit, so it is made on a thread of its own.
            var answer = CompletableFuture.supplyAsync(this::readLine, Thread::startVirtualThread)
                    .get(WholeProcess.LIMIT.toMinutes(), TimeUnit.MINUTES);
            if (answer.isEmpty()) {
                throw new LabException(
                        label + " ended without an answer: question=" + question + ". Its own words are above.");
            }
            return answer;
        } catch (IOException | ExecutionException e) {
            throw new LabException(label + " cannot be asked: question=" + question + ", cause=" + e.getMessage(), e);
        } catch (TimeoutException e) {
            process.destroyForcibly();
            throw new LabException(
                    label + " did not answer: waited=" + WholeProcess.LIMIT.toMinutes() + " min. It was ended.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted while " + label + " was running", e);
        }
    }

    private String readLine() {
        try {
            var line = answers.readLine();
            return line == null ? "" : line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            questions.close(); // end of input: the other side closes what it opened, and ends
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().removeShutdownHook(endWithJvm);
    }
}
