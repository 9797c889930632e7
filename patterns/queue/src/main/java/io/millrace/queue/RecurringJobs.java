// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Replies;
import io.millrace.client.command.ScoredMember;
import io.millrace.client.command.Scripts;
import io.millrace.resp.Reply;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/*
 * DESIGN
 *
 *     recurring       name -> "mrr1 <zone> <cron expression>\n<payload>"
 *     recurring-due   name, with the time at which the job is due next
 *     recurring-last  name -> the element that was pushed last
 *
 * Each worker looks for due names once a second. A worker that finds some computes their next due times and runs a
 * script, which pushes each job whose due time is still the one that the worker has read. So each time counts once in
 * the whole fleet. The next due time is after the present time of the server, so times that passed while no worker ran
 * count once together. While the last push of a recurring job waits, for example because the queue is paused, its times
 * are left out. So a recurring job that takes longer than its interval does not fill the queue.
 */

/** The recurring jobs of a {@link JobQueue}. Thread-safe. */
final class RecurringJobs {

    private static final String MAGIC = "mrr1 ";

    /** Maximum number of jobs that one script pushes. */
    private static final int DUE_LIMIT = 500;

    /** Maximum number of scripts in one call. The next call follows after a second. */
    private static final int MAX_ROUNDS = 100;

    private final RedisClient client;
    private final JobKeys keys;
    private final JobIds ids = new JobIds();

    RecurringJobs(RedisClient client, JobKeys keys) {
        this.client = client;
        this.keys = keys;
    }

    /** Defines a recurring job. If the same definition exists, does nothing. */
    void define(String name, Cron cron, byte[] payload, Instant now) {
        byte[] head = (MAGIC + cron.zone().getId() + " " + cron.expression() + "\n").getBytes(StandardCharsets.UTF_8);
        byte[] definition = Arrays.copyOf(head, head.length + payload.length);
        System.arraycopy(payload, 0, definition, head.length, payload.length);
        Instant due = cron.next(now)
                .orElseThrow(() -> new IllegalArgumentException("no time matches: cron=" + cron + ", after=" + now));
        client.call(Scripts.run(
                RecurringScripts.SET,
                List.of(keys.recurring(), keys.recurringDue()),
                List.of(name, definition, due.toEpochMilli())));
    }

    boolean cancel(String name) {
        return client.call(Scripts.run(
                        RecurringScripts.CANCEL,
                        List.of(keys.recurring(), keys.recurringDue(), keys.recurringLast()),
                        List.of(name))
                .as(Replies::flag));
    }

    List<RecurringJob> all() {
        Map<String, String> definitions = client.call(Hashes.getAll(keys.recurring()));
        List<ScoredMember<String>> due = client.call(
                Command.of("ZRANGE", keys.recurringDue(), 0, -1, "WITHSCORES").as(Replies.scored(Replies::text)));
        List<RecurringJob> jobs = new ArrayList<>();
        for (ScoredMember<String> next : due) {
            Optional<Cron> cron = Optional.ofNullable(definitions.get(next.member()))
                    .flatMap(text -> cron(next.member(), text.getBytes(StandardCharsets.UTF_8)));
            cron.ifPresent(found ->
                    jobs.add(new RecurringJob(next.member(), found, Instant.ofEpochMilli((long) next.score()))));
        }
        return jobs;
    }

    /** Pushes all due jobs, except those that another worker pushes first. */
    void fireDue() {
        int found = DUE_LIMIT;
        for (int round = 0; round < MAX_ROUNDS && found == DUE_LIMIT; round++) {
            List<Reply> parts = client.call(Scripts.run(
                            RecurringScripts.DUE, List.of(keys.recurringDue(), keys.recurring()), List.of(DUE_LIMIT))
                    .as(Replies::items));
            List<Reply> due = Replies.items(parts.get(1));
            fire(due, Replies.integer(parts.get(0)));
            found = due.size();
        }
    }

    /** Pushes jobs. Each element of {@code due} is a list of the name, the due time and the definition. */
    private void fire(List<Reply> due, long now) {
        if (due.isEmpty()) {
            return; // other workers have pushed the jobs
        }
        List<Object> arguments = new ArrayList<>();
        for (Reply one : due) {
            List<Reply> parts = Replies.items(one);
            Optional<byte[]> definition = Replies.optionalBytes(parts.get(2));
            Optional<Cron> cron = definition.flatMap(bytes -> cron(Replies.text(parts.get(0)), bytes));
            arguments.add(Replies.bytes(parts.get(0)));
            arguments.add(Replies.bytes(parts.get(1)));
            arguments.add(cron.flatMap(found -> found.next(Instant.ofEpochMilli(now)))
                    .map(time -> Long.toString(time.toEpochMilli()))
                    .orElse(""));
            arguments.add(
                    cron.isEmpty()
                            ? new byte[0]
                            : JobElement.encode(ids.next(), now, payload(definition.orElseThrow())));
        }
        client.call(Scripts.run(
                RecurringScripts.FIRE, List.of(keys.recurringDue(), keys.waiting(), keys.recurringLast()), arguments));
    }

    private Optional<Cron> cron(String name, byte[] definition) {
        String head = new String(definition, 0, lineEnd(definition), StandardCharsets.UTF_8);
        int space = head.indexOf(' ', MAGIC.length());
        try {
            if (!head.startsWith(MAGIC) || space < 0) {
                throw new IllegalArgumentException("the definition is not valid: " + head);
            }
            return Optional.of(Cron.of(head.substring(space + 1), ZoneId.of(head.substring(MAGIC.length(), space))));
        } catch (IllegalArgumentException | DateTimeException e) {
            QueueLog.log(
                    Level.WARNING,
                    "a recurring job is not due any more: queue=" + keys.waiting() + ", name=" + name
                            + ". Define the job again.",
                    e);
            return Optional.empty();
        }
    }

    private static byte[] payload(byte[] definition) {
        return Arrays.copyOfRange(definition, Math.min(lineEnd(definition) + 1, definition.length), definition.length);
    }

    private static int lineEnd(byte[] definition) {
        int end = 0;
        while (end < definition.length && definition[end] != '\n') {
            end++;
        }
        return end;
    }
}
