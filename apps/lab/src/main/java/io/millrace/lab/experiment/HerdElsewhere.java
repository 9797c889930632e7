// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.run.LabException;
import io.millrace.lab.run.Tools;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.databind.json.JsonMapper;

/** This process's end of a {@link HerdProcess}, which ends with it, since its input then does. Used by one thread. */
final class HerdElsewhere implements AutoCloseable {

    /** A caller gives up after a minute, but may come to a lock after a thousand others. */
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

    /** How long it may take to end by itself. */
    static final Duration BEFORE_KILL = Duration.ofSeconds(100);

    private final Process process;
    private final Writer questions;
    private final BufferedReader answers;

    private HerdElsewhere(Process process) {
        this.process = process;
        this.questions = process.outputWriter(StandardCharsets.UTF_8);
        this.answers = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Returns when it has connected. */
    static HerdElsewhere start(HerdProcess.Place place) {
        try {
            var elsewhere = new HerdElsewhere(new ProcessBuilder(Tools.jvm(HerdProcess.class, List.of()))
                    .redirectError(Redirect.INHERIT)
                    .start());
            elsewhere.connect(place);
            return elsewhere;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void connect(HerdProcess.Place place) {
        try {
            say(JsonMapper.shared().writeValueAsString(place));
            var answer = hear();
            if (!answer.equals(HerdProcess.READY)) {
                throw new LabException("the second process cannot start: answer=" + answer + ".");
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Has it rush, and does not wait. */
    void call(Herd.Call call) {
        say(JsonMapper.shared().writeValueAsString(call));
    }

    /** What became of that; waits for it. */
    Herd.Rush answer() {
        return JsonMapper.shared().readValue(hear(), Herd.Rush.class);
    }

    private void say(String line) {
        try {
            questions.write(line + "\n");
            questions.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String hear() {
        try {
            // The read itself cannot be given a limit, so it is made on a thread of its own.
            return CompletableFuture.supplyAsync(this::read, Thread::startVirtualThread)
                    .get(LONGEST_WAIT.toSeconds(), TimeUnit.SECONDS)
                    .orElseThrow(() -> new LabException("the second process has ended, and its own words are above"));
        } catch (ExecutionException e) {
            throw new LabException("the second process cannot be heard: cause=" + e.getMessage(), e);
        } catch (TimeoutException e) {
            kill();
            throw new LabException(
                    "the second process did not answer: waited=" + LONGEST_WAIT.toMinutes() + " min. It was ended.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LabException("interrupted while a second process was running", e);
        }
    }

    /** The next line; empty at the end. */
    private Optional<String> read() {
        try {
            return Optional.ofNullable(answers.readLine());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            questions.close(); // end of input: the other side ends
            if (!process.waitFor(BEFORE_KILL.toSeconds(), TimeUnit.SECONDS)) {
                kill();
            }
        } catch (IOException e) {
            kill();
        } catch (InterruptedException e) {
            kill();
            Thread.currentThread().interrupt();
        }
    }

    /** Kills it and waits until it is gone. */
    private void kill() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
