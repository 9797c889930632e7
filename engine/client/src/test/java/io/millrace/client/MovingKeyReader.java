// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/**
 * One of many readers of keys whose slots move. The reader knows the reply to each of its commands, and no other reader expects
 * the same replies. So the reader detects a reply that belongs to another command. The reader uses calls, futures and pipelines,
 * or only a bulk writer.
 */
final class MovingKeyReader implements Runnable {

    private static final CommandSpec<String> ECHO =
            CommandSpec.of("ECHO", Replies::text).withoutKey();

    private static final int MOST_SENT = 64;
    private static final int MOST_PIPELINED = 200;
    private static final int PER_WRITER = 2_000;
    private static final int MOST_SHOWN = 10;

    /** Each fourth reader uses a bulk writer. */
    private static final int BULK_EVERY = 4;

    private final RedisClient client;
    private final int number;
    private final int commands;
    private final List<String> keys;
    private final Random random;
    private final Results results;
    private int issued;

    /** The results of all readers. */
    static final class Results {

        final LongAdder issued = new LongAdder();
        final LongAdder answered = new LongAdder();

        /** Commands that ended with {@code TRYAGAIN} or {@code ASK}, because a later command of the key was executed. */
        final LongAdder refused = new LongAdder();

        /** Descriptions of the first errors, such as a reply that belongs to another command. */
        final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();

        private void wrong(String error) {
            if (wrong.size() < MOST_SHOWN) {
                wrong.add(error);
            }
        }

        @Override
        public String toString() {
            return "issued=" + issued + ", answered=" + answered + ", refused=" + refused;
        }
    }

    /** A command and the value of its reply. */
    private record Question(Command<?> command, Object answer) {}

    /**
     * Creates a reader that sends {@code commands} commands or a few more.
     *
     * @param tags the hash tags of the slots that move
     */
    MovingKeyReader(RedisClient client, int number, int commands, List<String> tags, long seed, Results results) {
        this.client = client;
        this.number = number;
        this.commands = commands;
        this.keys =
                tags.stream().map(tag -> "{" + tag + "}:of reader " + number).toList();
        this.random = new Random(seed * 31 + number);
        this.results = results;
    }

    @Override
    public void run() {
        try {
            keys.forEach(key -> client.call(Strings.set(key, value(key))));
            while (issued < commands) {
                if (number % BULK_EVERY == 0) {
                    write(PER_WRITER);
                } else {
                    switch (random.nextInt(4)) {
                        case 0 -> send(1 + random.nextInt(MOST_SENT));
                        case 1 -> pipeline(1 + random.nextInt(MOST_PIPELINED));
                        default -> call();
                    }
                }
            }
        } catch (Throwable e) {
            results.wrong("reader " + number + " failed: " + e);
        }
    }

    private static String value(String key) {
        return key + " has the value " + key;
    }

    private Question next() {
        issued++;
        results.issued.increment();
        String key = keys.get(random.nextInt(keys.size()));
        String value = value(key);
        return switch (random.nextInt(8)) {
            case 0 -> {
                String text = number + ":" + issued;
                yield new Question(Command.of(ECHO, text), text);
            }
            case 1, 2, 3 -> {
                int first = random.nextInt(value.length());
                int last = first + random.nextInt(value.length() - first);
                yield new Question(Command.of(Strings.GETRANGE, key, first, last), value.substring(first, last + 1));
            }
            default -> new Question(Strings.get(key), Optional.of(value));
        };
    }

    private List<Question> next(int count) {
        List<Question> questions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            questions.add(next());
        }
        return questions;
    }

    private void call() {
        Question question = next();
        try {
            check(question, client.call(question.command));
        } catch (ErrorReplyException e) {
            refused(String.valueOf(e.getMessage()));
        }
    }

    private void send(int count) {
        List<Question> questions = next(count);
        List<CompletableFuture<?>> futures = new ArrayList<>();
        questions.forEach(question -> futures.add(client.send(question.command)));
        for (int i = 0; i < count; i++) {
            try {
                check(questions.get(i), futures.get(i).join());
            } catch (CompletionException e) {
                refused(String.valueOf(e.getMessage()));
            }
        }
    }

    private void pipeline(int count) {
        List<Question> questions = next(count);
        Pipeline pipeline = client.pipeline();
        questions.forEach(question -> pipeline.add(question.command));
        List<Result<?>> answers = pipeline.run();
        for (int i = 0; i < count; i++) {
            Result<?> answer = answers.get(i);
            if (answer.ok()) {
                check(questions.get(i), answer.value());
            } else {
                refused(answer.outcome().toString());
            }
        }
    }

    private void write(int count) {
        List<Question> questions = next(count);
        BulkListener listener = (tag, command, outcome) -> {
            if (outcome instanceof Outcome.Ok(Reply reply)) {
                check(questions.get(Math.toIntExact(tag)), command.decode(reply));
            } else {
                refused(outcome.toString());
            }
        };
        try (BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, listener)) {
            for (int i = 0; i < count; i++) {
                Command<?> command = questions.get(i).command;
                writer.begin(command.spec());
                RawConnection.arguments(command).forEach(writer::arg);
                writer.end(i);
            }
            writer.finish();
        }
    }

    private void check(Question question, Object answered) {
        results.answered.increment();
        if (!question.answer.equals(answered)) {
            results.wrong("expected " + question.answer + ", got " + answered);
        }
    }

    private void refused(String error) {
        results.refused.increment();
        if (!error.contains("TRYAGAIN") && !error.contains("ASK")) {
            results.wrong(error);
        }
    }
}
