// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.experiment.ProgressEvent;
import io.millrace.lab.measure.WorkerMessages.Answer;
import io.millrace.lab.measure.WorkerMessages.Command;
import io.millrace.lab.server.EndWithJvm;
import io.millrace.lab.server.LabException;
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
import java.util.function.Consumer;

/**
 * The lab's side of a worker JVM. Between two commands the worker waits in a read and takes no CPU time from other
 * contenders. Ends with this JVM. Used by one thread.
 */
final class WorkerProcess implements AutoCloseable {

    private static final long END_SECONDS = 10;

    private final String name;
    private final Process process;
    private final EndWithJvm end;
    private final Writer commands;
    private final BufferedReader answers;

    private WorkerProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        this.end = EndWithJvm.run(() -> destroy(process));
        this.commands = process.outputWriter(StandardCharsets.UTF_8);
        this.answers = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Starts a worker. {@code name} is for messages. */
    static WorkerProcess start(String name, List<String> command) {
        try {
            return new WorkerProcess(
                    name,
                    new ProcessBuilder(command).redirectError(Redirect.INHERIT).start());
        } catch (IOException e) {
            throw new UncheckedIOException("a worker JVM cannot be started: name=" + name, e);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Sends one command and waits until the command is complete.
     *
     * @param listener for events before the last answer; called by another thread
     * @throws LabException if the worker answers with a failure, ends, or does not answer in time
     * @throws LabInterrupted if the calling thread is interrupted. Then the worker has ended
     */
    Answer ask(Command command, Consumer<ProgressEvent> listener) {
        String what = name + ", " + command.action();
        try {
            commands.write(WorkerMessages.JSON.writeValueAsString(command) + "\n");
            commands.flush();
            // A read has no time limit, so another thread reads.
            Answer answer = CompletableFuture.supplyAsync(() -> readAnswer(listener), Thread::startVirtualThread)
                    .get(ReadyContender.LIMIT_MINUTES, TimeUnit.MINUTES);
            if (answer.failure().isPresent()) {
                throw new LabException(what + " failed: " + answer.failure().get());
            }
            return answer;
        } catch (IOException | ExecutionException e) {
            kill();
            Throwable cause = e instanceof ExecutionException && e.getCause() != null ? e.getCause() : e;
            throw new LabException(what + " failed: the worker cannot be asked: cause=" + FailureText.of(cause), e);
        } catch (TimeoutException e) {
            kill();
            throw new LabException(
                    what + " failed: no answer within " + ReadyContender.LIMIT_MINUTES + " min. The worker was killed.",
                    e);
        } catch (InterruptedException e) {
            kill();
            throw new LabInterrupted();
        }
    }

    private Answer readAnswer(Consumer<ProgressEvent> listener) {
        try {
            for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                if (!line.startsWith(WorkerMessages.ANSWER)) {
                    System.err.println(name + ": " + line);
                    continue;
                }
                String json = line.substring(WorkerMessages.ANSWER.length());
                Answer answer = WorkerMessages.JSON.readValue(json, Answer.class);
                if (answer.event().isEmpty()) {
                    return answer;
                }
                answer.event().ifPresent(listener);
            }
            return Answer.failed("the worker JVM ended. Its own messages are above");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the worker without waiting for its work. Returns when the process has ended. */
    void kill() {
        boolean interrupted = Thread.interrupted(); // An interrupted thread could not wait.
        destroy(process);
        try {
            process.waitFor(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        end.cancel();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void destroy(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    /** Ends the worker through the end of its input; kills the worker if that takes too long. */
    @Override
    public void close() {
        try {
            commands.close();
            process.waitFor(END_SECONDS, TimeUnit.SECONDS);
        } catch (IOException e) {
            System.err.println(name + ": the input of the worker cannot be closed: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        kill();
    }
}
