// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Replies;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.LongAdder;

/**
 * One of many callers. Each command contains the number of the caller and the number of the command. The server returns
 * both numbers, so the caller immediately detects a reply that belongs to another command. Some commands have very
 * short timeouts, some futures are cancelled, and some waits are interrupted.
 */
final class SelfDescribingCaller implements Runnable {

    private static final CommandSpec<String> ECHO =
            CommandSpec.of("ECHO", Replies::text).withoutKey();
    private static final String PADDING = "x".repeat(100_000);

    private static final int MAX_SENT = 64;
    private static final int MAX_PIPELINED = 300;
    private static final int MAX_SHOWN = 10;

    private final RedisClient client;
    private final int number;
    private final int commands;
    private final Random random;
    private final CallerStats callerStats;
    private int issued;

    /** The results of all callers. */
    static final class CallerStats {

        private final Map<CommandFate, LongAdder> fates = new ConcurrentHashMap<>();
        final LongAdder issued = new LongAdder();

        /** Descriptions of the first errors, such as a reply that belongs to another command. */
        final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();

        long of(CommandFate commandFate) {
            return fates.getOrDefault(commandFate, new LongAdder()).sum();
        }

        private void add(CommandFate commandFate) {
            fates.computeIfAbsent(commandFate, first -> new LongAdder()).increment();
        }

        private void wrong(String error) {
            if (wrong.size() < MAX_SHOWN) {
                wrong.add(error);
            }
        }

        @Override
        public String toString() {
            return "issued=" + issued + ", " + new TreeMap<>(fates);
        }
    }

    SelfDescribingCaller(RedisClient client, int number, int commands, long seed, CallerStats callerStats) {
        this.client = client;
        this.number = number;
        this.commands = commands;
        this.random = new Random(seed * 31 + number);
        this.callerStats = callerStats;
    }

    @Override
    public void run() {
        try {
            while (issued < commands) {
                switch (random.nextInt(20)) {
                    case 0, 1 -> send(1 + random.nextInt(MAX_SENT));
                    case 2 -> pipeline(1 + random.nextInt(MAX_PIPELINED));
                    default -> call();
                }
            }
        } catch (Throwable e) {
            callerStats.wrong("caller " + number + " failed: " + e);
        }
    }

    private void call() {
        String text = text();
        boolean interrupted = interruptSometimes();
        try {
            check(text, client.call(command(text)));
        } catch (RedisException e) {
            callerStats.add(CommandFate.of(e));
        }
        expectInterrupt(interrupted);
    }

    private void send(int count) throws InterruptedException {
        List<String> texts = new ArrayList<>();
        List<CompletableFuture<String>> futures = new ArrayList<>();
        boolean interrupted = interruptSometimes();
        for (int i = 0; i < count; i++) {
            texts.add(text());
            futures.add(client.send(command(texts.get(i))));
            if (oneIn(30)) {
                futures.get(i).cancel(true);
            }
        }
        expectInterrupt(interrupted);
        for (int i = 0; i < count; i++) {
            check(texts.get(i), futures.get(i));
        }
    }

    private void check(String text, CompletableFuture<String> future) throws InterruptedException {
        if (future.isCancelled()) {
            callerStats.add(CommandFate.ABANDONED);
            return;
        }
        try {
            check(text, future.get());
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof RedisException failure)) {
                throw new AssertionError(e);
            }
            callerStats.add(CommandFate.of(failure));
        }
    }

    private void pipeline(int count) {
        List<String> texts = new ArrayList<>();
        Pipeline pipeline = client.pipeline();
        boolean interrupted = interruptSometimes();
        for (int i = 0; i < count; i++) {
            texts.add(text());
            pipeline.add(command(texts.get(i)));
        }
        List<Result<?>> results = run(pipeline, interrupted);
        if (results.size() != count) {
            callerStats.wrong("caller " + number + " got " + results.size() + " results for " + count + " commands");
        }
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i).ok()) {
                check(texts.get(i), String.valueOf(results.get(i).value()));
            } else {
                callerStats.add(CommandFate.of(results.get(i).outcome()));
            }
        }
    }

    /**
     * Runs {@code pipeline}. An interrupt ends the wait but not the commands, so after an interrupt a second run waits
     * for the same commands.
     */
    private List<Result<?>> run(Pipeline pipeline, boolean interrupted) {
        try {
            List<Result<?>> results = pipeline.run();
            expectInterrupt(interrupted);
            return results;
        } catch (InterruptedCommandException e) {
            expectInterrupt(interrupted);
            return pipeline.run();
        }
    }

    private void check(String expected, String answered) {
        callerStats.add(CommandFate.OK);
        if (!expected.equals(answered)) {
            callerStats.wrong("expected " + brief(expected) + ", got " + brief(answered));
        }
    }

    private boolean interruptSometimes() {
        boolean now = oneIn(30);
        if (now) {
            Thread.currentThread().interrupt();
        }
        return now;
    }

    private void expectInterrupt(boolean expected) {
        if (Thread.interrupted() != expected) {
            callerStats.wrong("an interrupt of caller " + number + " was " + (expected ? "lost" : "unexpected"));
        }
    }

    private Command<String> command(String text) {
        Command<String> command = Command.of(ECHO, text);
        if (random.nextBoolean()) {
            command = command.idempotently();
        }
        return oneIn(30) ? command.within(Duration.ofMillis(1)) : command;
    }

    private String text() {
        callerStats.issued.increment();
        int maxLength = oneIn(1_000) ? PADDING.length() : oneIn(30) ? 2_000 : 16;
        return number + ":" + issued++ + ":" + PADDING.substring(0, random.nextInt(maxLength));
    }

    private boolean oneIn(int count) {
        return random.nextInt(count) == 0;
    }

    private static String brief(String text) {
        return text.length() <= 40 ? text : text.substring(0, 40) + "… of " + text.length();
    }
}
