// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

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
 * One of many callers whose every command says whose it is and which, and is echoed: a reply that belongs to another is seen at
 * once. Some commands have next to no time, some futures are cancelled, and some waits interrupted.
 */
final class SelfDescribingCaller implements Runnable {

    private static final CommandSpec<String> ECHO =
            CommandSpec.of("ECHO", Replies::text).withoutKey();
    private static final String PADDING = "x".repeat(100_000);

    private static final int MOST_SENT = 64;
    private static final int MOST_PIPELINED = 300;
    private static final int MOST_SHOWN = 10;

    private final RedisClient client;
    private final int number;
    private final int commands;
    private final Random random;
    private final Tally tally;
    private int issued;

    /** What all callers saw. */
    static final class Tally {

        private final Map<Fate, LongAdder> fates = new ConcurrentHashMap<>();
        final LongAdder issued = new LongAdder();

        /** Replies that are somebody else's, and whatever else must not happen: the first of them. */
        final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();

        long of(Fate fate) {
            return fates.getOrDefault(fate, new LongAdder()).sum();
        }

        private void add(Fate fate) {
            fates.computeIfAbsent(fate, first -> new LongAdder()).increment();
        }

        private void wrong(String what) {
            if (wrong.size() < MOST_SHOWN) {
                wrong.add(what);
            }
        }

        @Override
        public String toString() {
            return "issued=" + issued + ", " + new TreeMap<>(fates);
        }
    }

    SelfDescribingCaller(RedisClient client, int number, int commands, long seed, Tally tally) {
        this.client = client;
        this.number = number;
        this.commands = commands;
        this.random = new Random(seed * 31 + number);
        this.tally = tally;
    }

    @Override
    public void run() {
        try {
            while (issued < commands) {
                switch (random.nextInt(20)) {
                    case 0, 1 -> send(1 + random.nextInt(MOST_SENT));
                    case 2 -> pipeline(1 + random.nextInt(MOST_PIPELINED));
                    default -> call();
                }
            }
        } catch (Throwable e) {
            tally.wrong("caller " + number + " failed: " + e);
        }
    }

    private void call() {
        String text = text();
        boolean interrupted = interruptSometimes();
        try {
            check(text, client.call(command(text)));
        } catch (RedisException e) {
            tally.add(Fate.of(e));
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
            tally.add(Fate.ABANDONED);
            return;
        }
        try {
            check(text, future.get());
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof RedisException failure)) {
                throw new AssertionError(e);
            }
            tally.add(Fate.of(failure));
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
            tally.wrong("caller " + number + " got " + results.size() + " results for " + count + " commands");
        }
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i).ok()) {
                check(texts.get(i), String.valueOf(results.get(i).value()));
            } else {
                tally.add(Fate.of(results.get(i).outcome()));
            }
        }
    }

    /** An interrupt ends the wait, not the commands: the second run waits for the same ones. */
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
        tally.add(Fate.OK);
        if (!expected.equals(answered)) {
            tally.wrong("expected " + brief(expected) + ", got " + brief(answered));
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
            tally.wrong("an interrupt of caller " + number + " was " + (expected ? "swallowed" : "made up"));
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
        tally.issued.increment();
        int most = oneIn(1_000) ? PADDING.length() : oneIn(30) ? 2_000 : 16;
        return number + ":" + issued++ + ":" + PADDING.substring(0, random.nextInt(most));
    }

    private boolean oneIn(int count) {
        return random.nextInt(count) == 0;
    }

    private static String brief(String text) {
        return text.length() <= 40 ? text : text.substring(0, 40) + "… of " + text.length();
    }
}
