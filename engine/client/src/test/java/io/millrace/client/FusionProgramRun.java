// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.millrace.client.FusionProgram.Step;
import io.millrace.client.command.Command;
import io.millrace.client.command.Fusion;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One run of a {@link FusionProgram}. The run records the answer to each step as a value that can be compared: a reply,
 * the text of an error, or for a transaction a list of such values.
 */
final class FusionProgramRun {

    /** The text of an error reply. The text does not show whether the command was fused. */
    record ErrorText(String words) {}

    private final FusionProgram program;
    private final RedisClient client;
    private final AtomicReferenceArray<@Nullable Object> answers;

    private FusionProgramRun(FusionProgram program, RedisClient client) {
        this.program = program;
        this.client = client;
        this.answers = new AtomicReferenceArray<>(program.steps().size());
    }

    /**
     * Runs the whole program and returns the answers to its steps. If the mode uses a bulk writer, the writer may fuse
     * {@code kinds}.
     */
    static List<Object> of(FusionProgram program, RedisClient client, Set<Fusion> kinds) throws InterruptedException {
        FusionProgramRun run = new FusionProgramRun(program, client);
        switch (program.mode()) {
            case FUTURES -> run.eachCaller(run::send);
            case PIPELINE -> run.eachCaller(run::pipe);
            case BULK_WRITER -> run.write(kinds);
        }
        return IntStream.range(0, program.steps().size())
                .mapToObj(i -> Objects.requireNonNullElse(run.answers.get(i), "no outcome"))
                .toList();
    }

    private interface Caller {
        void run(int number);
    }

    private void eachCaller(Caller caller) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < program.callers(); i++) {
            int number = i;
            Thread thread = Thread.ofVirtual().unstarted(() -> caller.run(number));
            thread.setUncaughtExceptionHandler((ignored, failure) -> failures.add(failure));
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (!failures.isEmpty()) {
            throw new AssertionError("a caller failed: " + program, failures.getFirst());
        }
    }

    private int[] stepsOf(int caller) {
        return IntStream.range(0, program.steps().size())
                .filter(i -> program.steps().get(i).caller() == caller)
                .toArray();
    }

    // Futures.

    private void send(int caller) {
        int[] steps = stepsOf(caller);
        List<@Nullable CompletableFuture<Reply>> futures = new ArrayList<>();
        for (int at : steps) {
            Step step = program.steps().get(at);
            CompletableFuture<Reply> future = null;
            if (step.transaction()) {
                answers.set(at, transacted(step));
            } else if (step.waits()) {
                answers.set(at, called(step.command()));
            } else {
                future = client.send(step.command());
            }
            futures.add(future);
        }
        for (int i = 0; i < steps.length; i++) {
            CompletableFuture<Reply> future = futures.get(i);
            if (future != null) {
                answers.set(steps[i], joined(future));
            }
        }
    }

    private Object called(Command<Reply> command) {
        try {
            return client.call(command);
        } catch (ErrorReplyException e) {
            return words(e);
        }
    }

    private static Object joined(CompletableFuture<Reply> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            return e.getCause() instanceof ErrorReplyException error ? words(error) : String.valueOf(e.getCause());
        }
    }

    private static ErrorText words(ErrorReplyException e) {
        String message = String.valueOf(e.getMessage());
        String before = e.fused() ? " failed as part of a fused command: " : " failed: ";
        return new ErrorText(message.substring(message.indexOf(before) + before.length()));
    }

    // Pipelines.

    private void pipe(int caller) {
        Pipeline pipeline = client.pipeline();
        List<Integer> waiting = new ArrayList<>();
        for (int at : stepsOf(caller)) {
            Step step = program.steps().get(at);
            if (step.transaction()) {
                run(pipeline, waiting);
                answers.set(at, transacted(step));
            } else {
                pipeline.add(step.command());
                waiting.add(at);
                if (step.waits()) {
                    run(pipeline, waiting);
                }
            }
        }
        run(pipeline, waiting);
    }

    private void run(Pipeline pipeline, List<Integer> waiting) {
        List<Result<?>> results = pipeline.run();
        for (int i = 0; i < waiting.size(); i++) {
            answers.set(waiting.get(i), answer(results.get(i).outcome()));
        }
        waiting.clear();
    }

    // A bulk writer.

    private void write(Set<Fusion> kinds) {
        Random random = new Random(program.seed());
        BulkOptions options = switch (random.nextInt(4)) {
            case 0 -> new BulkOptions(1 + random.nextInt(10), 1 << 16, BulkOptions.DEFAULT.timeout());
            case 1 -> new BulkOptions(64, 1 << 16, BulkOptions.DEFAULT.timeout());
            default -> BulkOptions.DEFAULT;
        };
        BulkListener listener = (tag, spec, outcome) -> {
            boolean sameSpec =
                    spec.equals(program.steps().get((int) tag).command().spec());
            answers.set((int) tag, sameSpec ? answer(outcome) : "reported as another command: " + spec);
        };
        try (BulkWriter writer = client.bulkWriter(options.withFusion(kinds), listener)) {
            for (int at = 0; at < program.steps().size(); at++) {
                Step step = program.steps().get(at);
                if (step.transaction()) {
                    writer.finish();
                    answers.set(at, transacted(step));
                } else {
                    write(writer, step.command(), random);
                    writer.end(at);
                }
                if (step.waits()) {
                    writer.flush();
                }
                if (random.nextInt(300) == 0) {
                    // The producer pauses, so that the timekeeper may close the open batch.
                    LockSupport.parkNanos(random.nextInt(8_000_000));
                }
            }
            writer.finish();
        }
    }

    /**
     * Writes {@code command}. Each argument is randomly passed as a number, as text or as bytes. Sometimes the method
     * first begins another command and does not end it.
     */
    private static void write(BulkWriter writer, Command<Reply> command, Random random) {
        if (random.nextInt(50) == 0) {
            writer.begin(command.spec()).arg("abandoned").arg(7);
        }
        writer.begin(command.spec());
        for (byte[] argument : RawConnection.arguments(command)) {
            String text = new String(argument, ISO_8859_1);
            if (text.matches("0|-?[1-9][0-9]{0,17}") && random.nextBoolean()) {
                writer.arg(Long.parseLong(text));
            } else if (text.chars().allMatch(c -> c < 0x80) && random.nextBoolean()) {
                writer.arg(text);
            } else {
                byte[] surrounded = Arrays.copyOf(argument, argument.length + 3);
                writer.arg(surrounded, 0, argument.length);
                // The writer has copied the argument when arg() returns, so the array may be overwritten.
                Arrays.fill(surrounded, (byte) '!');
            }
        }
    }

    // All modes.

    private Object transacted(Step step) {
        Transaction transaction = client.transaction();
        List<Result<Reply>> results = new ArrayList<>();
        step.commands().forEach(command -> results.add(transaction.add(command)));
        try {
            transaction.run();
            return results.stream().map(result -> answer(result.outcome())).toList();
        } catch (ErrorReplyException e) {
            return words(e);
        }
    }

    private static Object answer(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Ok(Reply reply) -> reply;
            case Outcome.Failed(Reply.ErrorReply error) -> new ErrorText(error.message());
            case Outcome.TimedOut ignored -> "timed out";
            case Outcome.Refused ignored -> "refused";
            case Outcome.Lost(boolean maybeExecuted, String cause) -> "lost: " + cause + ", " + maybeExecuted;
        };
    }
}
