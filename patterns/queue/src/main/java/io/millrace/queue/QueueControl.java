// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Codec;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Replies;
import io.millrace.client.command.ScoredMember;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.queue.QueueStatus.RegisteredWorker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What an operator does with a {@link JobQueue}: reading, pausing, redriving and removing. */
final class QueueControl {

    private static final int REDRIVE_BATCH = 1_000;
    private static final int SEARCH_PAGE = 100;
    private static final Pattern DEAD_HEAD = Pattern.compile("mrd1 (?<time>\\d{1,15}) (?<length>\\d{1,6})");

    private final RedisClient client;
    private final JobKeys keys;

    QueueControl(RedisClient client, JobKeys keys) {
        this.client = client;
        this.keys = keys;
    }

    void pause() {
        client.call(Strings.set(keys.paused(), "paused"));
    }

    void resume() {
        client.call(Keys.delete(keys.paused()));
    }

    QueueStatus status() {
        Pipeline pipeline = client.pipeline();
        Result<Instant> time = pipeline.add(Server.time());
        Result<Long> paused = pipeline.add(Keys.exist(keys.paused()));
        Result<Long> waiting = pipeline.add(Lists.size(keys.waiting()));
        Result<Long> delayed = pipeline.add(Command.of("ZCARD", keys.delayed()).as(Replies::integer));
        Result<Long> suspects = pipeline.add(Lists.size(keys.suspects()));
        Result<Long> dead = pipeline.add(Lists.size(keys.dead()));
        Result<Long> recurring = pipeline.add(Hashes.size(keys.recurring()));
        Result<Map<String, String>> counts = pipeline.add(Hashes.getAll(keys.counts()));
        Result<List<ScoredMember<String>>> leases = pipeline.add(
                Command.of("ZRANGE", keys.workers(), 0, -1, "WITHSCORES").as(Replies.scored(Replies::text)));
        var unused = pipeline.run();
        List<ScoredMember<String>> registered = leases.value().stream()
                .filter(lease -> lease.score() > 0) // the other workers are released
                .toList();
        List<RegisteredWorker> workers = workers(registered, time.value().toEpochMilli());
        return new QueueStatus(
                keys.waiting(),
                paused.value() > 0,
                waiting.value(),
                delayed.value(),
                workers.stream().mapToLong(RegisteredWorker::running).sum(),
                suspects.value(),
                dead.value(),
                recurring.value(),
                count(counts.value(), "succeeded"),
                count(counts.value(), "failed"),
                count(counts.value(), "dead"),
                count(counts.value(), "dropped"),
                workers);
    }

    private List<RegisteredWorker> workers(List<ScoredMember<String>> leases, long now) {
        Pipeline pipeline = client.pipeline();
        List<Result<Long>> running = leases.stream()
                .map(lease -> pipeline.add(Lists.size(keys.taken(lease.member()))))
                .toList();
        var unused = pipeline.run();
        List<RegisteredWorker> workers = new ArrayList<>();
        for (int i = 0; i < leases.size(); i++) {
            String id = leases.get(i).member();
            workers.add(new RegisteredWorker(
                    id.substring(0, Math.max(id.lastIndexOf('#'), 0)),
                    running.get(i).value(),
                    Duration.ofMillis((long) leases.get(i).score() - now)));
        }
        return workers;
    }

    private static long count(Map<String, String> counts, String name) {
        return Long.parseLong(counts.getOrDefault(name, "0"));
    }

    <T> List<Job<T>> peek(int limit, Codec<T> codec) {
        byte[] waiting = keys.waiting().getBytes(StandardCharsets.UTF_8);
        List<Job<T>> jobs = new ArrayList<>();
        for (byte[] bytes : client.call(Lists.range(waiting, -limit, -1)).reversed()) {
            JobElement element = JobElement.read(bytes, "", System.currentTimeMillis());
            jobs.add(new Job<>(
                    element.id(),
                    element.decode(codec),
                    element.attempt(),
                    Instant.ofEpochMilli(element.pushedMillis())));
        }
        return jobs;
    }

    List<DeadJob> dead(int limit) {
        byte[] dead = keys.dead().getBytes(StandardCharsets.UTF_8);
        return client.call(Lists.range(dead, 0, limit - 1)).stream()
                .map(QueueControl::deadJob)
                .toList();
    }

    /** Reads an entry of the dead jobs. An entry that another program wrote is a payload without a reason. */
    private static DeadJob deadJob(byte[] entry) {
        int end = 0;
        while (end < entry.length && entry[end] != '\n') {
            end++;
        }
        Matcher head = DEAD_HEAD.matcher(new String(entry, 0, end, StandardCharsets.ISO_8859_1));
        if (!head.matches()) {
            return new DeadJob("", entry, 0, "", Instant.EPOCH);
        }
        int reasonEnd = Math.min(end + 1 + Integer.parseInt(head.group("length")), entry.length);
        JobElement element = JobElement.read(Arrays.copyOfRange(entry, reasonEnd, entry.length), "", 0);
        return new DeadJob(
                element.id(),
                element.payload(),
                element.earlierAttempts(),
                new String(entry, end + 1, reasonEnd - end - 1, StandardCharsets.UTF_8),
                Instant.ofEpochMilli(Long.parseLong(head.group("time"))));
    }

    long redrive(long limit) {
        long moved = 0;
        while (moved < limit) {
            long batch = Math.min(limit - moved, REDRIVE_BATCH);
            long now = client.call(
                    Scripts.run(ControlScripts.REDRIVE, List.of(keys.dead(), keys.waiting()), List.of(batch))
                            .as(Replies::integer));
            moved += now;
            if (now < batch) {
                break;
            }
        }
        return moved;
    }

    /** Searches the dead jobs in pages, so that the server does not read all of them in one step. */
    boolean redrive(String id) {
        byte[] dead = keys.dead().getBytes(StandardCharsets.UTF_8);
        for (long from = 0; ; from += SEARCH_PAGE) {
            List<byte[]> page = client.call(Lists.range(dead, from, from + SEARCH_PAGE - 1));
            for (byte[] entry : page) {
                if (deadJob(entry).id().equals(id)) {
                    return client.call(Scripts.run(
                                    ControlScripts.REDRIVE_ONE, List.of(keys.dead(), keys.waiting()), List.of(entry))
                            .as(Replies::flag));
                }
            }
            if (page.size() < SEARCH_PAGE) {
                return false;
            }
        }
    }

    long purge(QueuePart part) {
        return switch (part) {
            case WAITING -> remove(keys.waiting(), "LLEN") + remove(keys.suspects(), "LLEN");
            case DELAYED -> remove(keys.delayed(), "ZCARD");
            case DEAD -> remove(keys.dead(), "LLEN");
        };
    }

    private long remove(String key, String size) {
        return client.call(
                Scripts.run(ControlScripts.PURGE, List.of(key), List.of(size)).as(Replies::integer));
    }

    void delete() {
        List<String> all = new ArrayList<>(List.of(
                keys.waiting(),
                keys.delayed(),
                keys.suspects(),
                keys.workers(),
                keys.dead(),
                keys.paused(),
                keys.counts(),
                keys.recurring(),
                keys.recurringDue(),
                keys.recurringLast()));
        client.call(Command.of("ZRANGE", keys.workers(), 0, -1).as(Replies.list(Replies::text)))
                .forEach(id -> all.add(keys.taken(id)));
        client.call(Keys.delete(all.toArray(String[]::new)));
    }
}
