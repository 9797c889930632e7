// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.Strings;
import io.millrace.client.exception.RedisException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * One of many callers. Increments a counter of its own, by calls, futures, pipelines and transactions. The server
 * returns each value of the counter only once. So the caller detects a reply that belongs to another command. At the
 * end, the value of the counter shows commands that were lost or executed twice.
 *
 * <p>Sometimes the caller reads a value that is larger than the client accepts. This reply ends its connection.
 */
final class CountingCaller implements Runnable {

    static final String POISON = "poison";

    private static final int MAX_SENT = 16;
    private static final int MAX_PIPELINED = 100;
    private static final int MAX_SHOWN = 10;

    private final RedisClient client;
    private final int number;
    private final int commands;
    private final Random random;
    private final Ledger ledger;
    private final BitSet received = new BitSet();
    private int issued;
    private long executed;
    private long unknown;
    private boolean unsent;

    /** The results of all callers. Thread-safe. */
    static final class Ledger {

        private final Map<CommandFate, LongAdder> fates = new ConcurrentHashMap<>();

        /** Number of submitted commands. A transaction counts as one command. */
        final LongAdder issued = new LongAdder();

        /** Descriptions of the first errors, such as a value that a caller received twice. */
        final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();

        long of(CommandFate fate) {
            return fates.getOrDefault(fate, new LongAdder()).sum();
        }

        private void add(CommandFate fate) {
            fates.computeIfAbsent(fate, first -> new LongAdder()).increment();
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

    CountingCaller(RedisClient client, int number, int commands, long seed, Ledger ledger) {
        this.client = client;
        this.number = number;
        this.commands = commands;
        this.random = new Random(seed * 31 + number);
        this.ledger = ledger;
    }

    String key() {
        return "counter of caller " + number;
    }

    /** After the end of this caller: returns whether the counter may have this value. */
    boolean allows(long value) {
        return value >= executed && value <= executed + unknown && received.length() <= value + 1;
    }

    @Override
    public String toString() {
        return key() + ": executed=" + executed + ", unknown=" + unknown + ", greatest=" + (received.length() - 1);
    }

    @Override
    public void run() {
        try {
            while (issued < commands) {
                switch (random.nextInt(40)) {
                    case 0, 1 -> send(1 + random.nextInt(MAX_SENT));
                    case 2 -> pipeline(1 + random.nextInt(MAX_PIPELINED));
                    case 3 -> transaction(1 + random.nextInt(5));
                    default -> call();
                }
                if (random.nextInt(4_000) == 0) {
                    readPoison();
                }
                if (unsent) {
                    // The login is refused at present, so further commands would be lost at once.
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                    unsent = false;
                }
            }
        } catch (Throwable e) {
            ledger.wrong("caller " + number + " failed: " + e);
        }
    }

    private void issue() {
        issued++;
        ledger.issued.increment();
    }

    private void call() {
        issue();
        try {
            increased(client.call(Strings.increment(key())));
        } catch (RedisException e) {
            failed(CommandFate.of(e));
        }
    }

    private void send(int count) {
        List<CompletableFuture<Long>> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            issue();
            sent.add(client.send(Strings.increment(key())));
        }
        for (CompletableFuture<Long> future : sent) {
            CommandFate fate = CommandFate.of(future);
            if (fate == CommandFate.OK) {
                increased(future.join());
            } else {
                failed(fate);
            }
        }
    }

    private void pipeline(int count) {
        Pipeline pipeline = client.pipeline();
        for (int i = 0; i < count; i++) {
            issue();
            pipeline.add(Strings.increment(key()));
        }
        long last = 0;
        for (Result<?> result : pipeline.run()) {
            if (!result.ok()) {
                failed(CommandFate.of(result.outcome()));
                continue;
            }
            long value = (Long) result.value();
            increased(value);
            if (value <= last) {
                ledger.wrong(key() + ": a pipeline received " + value + " after " + last);
            }
            last = value;
        }
    }

    /** The commands of the transaction are executed together, so the values must follow each other. */
    private void transaction(int count) {
        issue();
        Transaction transaction = client.transaction();
        List<Result<Long>> results = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            results.add(transaction.add(Strings.increment(key())));
        }
        try {
            transaction.run();
            ledger.add(CommandFate.OK);
            for (int i = 0; i < count; i++) {
                long value = results.get(i).value();
                received(value);
                if (value != results.getFirst().value() + i) {
                    ledger.wrong(key() + ": a transaction received " + value + " as number " + i + " after "
                            + results.getFirst().value());
                }
            }
        } catch (RedisException e) {
            ledger.add(CommandFate.of(e));
            unknown += e.maybeExecuted() ? count : 0;
        }
    }

    private void readPoison() {
        issue();
        try {
            client.call(Strings.get(POISON));
            ledger.wrong("a reply above the limit was accepted");
        } catch (RedisException e) {
            ledger.add(CommandFate.of(e));
        }
    }

    private void increased(long value) {
        ledger.add(CommandFate.OK);
        received(value);
    }

    private void received(long value) {
        executed++;
        if (received.get((int) value)) {
            ledger.wrong(key() + ": received " + value + " twice");
        }
        received.set((int) value);
    }

    private void failed(CommandFate fate) {
        ledger.add(fate);
        unsent |= fate == CommandFate.LOST_UNSENT;
        unknown += fate == CommandFate.LOST_SENT || fate == CommandFate.TIMED_OUT ? 1 : 0;
    }
}
