// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.queue.DeadJob;
import io.millrace.queue.Job;
import io.millrace.queue.JobQueue;
import io.millrace.queue.QueuePart;
import io.millrace.queue.QueueStatus;
import io.millrace.queue.QueueStatus.RegisteredWorker;
import io.millrace.queue.RecurringJob;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs {@code millrace queue}: reads or changes one job queue. */
final class QueueRun {

    private static final int MAX_TEXT = 200;

    private final QueueRequest request;
    private final StandardStreams standardStreams;

    QueueRun(QueueRequest request, StandardStreams standardStreams) {
        this.request = request;
        this.standardStreams = standardStreams;
    }

    /** Connects, runs the action and prints its result. */
    ExitCode run() {
        request.warnings().forEach(warning -> standardStreams.err().println("warning: " + warning));
        JobQueue<byte[]> checked;
        try (RedisClient client = RedisClient.connect(request.redis())) {
            try {
                checked = JobQueue.of(client, request.queue(), Codec.bytes());
            } catch (IllegalArgumentException notValid) {
                throw new UsageException(String.valueOf(notValid.getMessage()), notValid);
            }
            Map<String, Object> result = result(checked);
            standardStreams.out().println(request.json() ? JsonText.of(result) : text(result));
            standardStreams.out().flush();
        }
        return ExitCode.OK;
    }

    private Map<String, Object> result(JobQueue<byte[]> queue) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("queue", queue.name());
        switch (request.action()) {
            case STATS -> putStatus(result, queue);
            case PEEK ->
                result.put(
                        "jobs",
                        queue.peek(request.limit()).stream()
                                .map(QueueRun::waitingJob)
                                .toList());
            case DEAD ->
                result.put(
                        "jobs",
                        queue.dead(request.limit()).stream()
                                .map(QueueRun::deadJob)
                                .toList());
            case REDRIVE ->
                result.put(
                        "redriven",
                        request.id().isPresent()
                                ? (queue.redrive(request.id().get()) ? 1L : 0L)
                                : queue.redrive((long) request.limit()));
            case PAUSE -> {
                queue.pause();
                result.put("paused", true);
            }
            case RESUME -> {
                queue.resume();
                result.put("paused", false);
            }
            case PURGE -> result.put("removed", queue.purge(request.part().orElse(QueuePart.DEAD)));
        }
        return result;
    }

    private static void putStatus(Map<String, Object> result, JobQueue<byte[]> queue) {
        QueueStatus status = queue.status();
        result.put("paused", status.paused());
        result.put("waiting", status.waiting());
        result.put("delayed", status.delayed());
        result.put("running", status.running());
        result.put("suspects", status.suspects());
        result.put("dead", status.dead());
        result.put("succeeded", status.succeeded());
        result.put("failed", status.failed());
        result.put("died", status.died());
        result.put("dropped", status.dropped());
        result.put("workers", status.workers().stream().map(QueueRun::worker).toList());
        result.put(
                "recurring",
                queue.recurringJobs().stream().map(QueueRun::recurring).toList());
    }

    private static Map<String, Object> worker(RegisteredWorker worker) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", worker.name());
        fields.put("running", worker.running());
        fields.put("leaseMillis", worker.lease().toMillis());
        return fields;
    }

    private static Map<String, Object> recurring(RecurringJob job) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", job.name());
        fields.put("cron", job.cron().expression());
        fields.put("zone", job.cron().zone().getId());
        fields.put("next", job.next().toString());
        return fields;
    }

    private static Map<String, Object> waitingJob(Job<byte[]> job) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", job.id());
        fields.put("attempt", job.attempt());
        fields.put("pushedAt", job.pushedAt().toString());
        putPayload(fields, job.payload());
        return fields;
    }

    private static Map<String, Object> deadJob(DeadJob job) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", job.id());
        fields.put("attempts", job.attempts());
        fields.put("diedAt", job.diedAt().toString());
        fields.put("reason", job.reason());
        putPayload(fields, job.payload());
        return fields;
    }

    /** Adds a payload as text, or in Base64 if the payload is not text in UTF-8. */
    private static void putPayload(Map<String, Object> fields, byte[] payload) {
        try {
            fields.put(
                    "payload",
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(payload))
                            .toString());
        } catch (CharacterCodingException notText) {
            fields.put("payloadBase64", Base64.getEncoder().encodeToString(payload));
        }
    }

    /** One line for each value, and one line for each element of a list. */
    private static String text(Map<String, Object> result) {
        StringBuilder text = new StringBuilder();
        result.forEach((name, value) -> {
            if (value instanceof List<?> elements) {
                text.append(name).append(": ").append(elements.size()).append('\n');
                elements.forEach(
                        element -> text.append("  ").append(line(element)).append('\n'));
            } else {
                text.append(name).append(": ").append(value).append('\n');
            }
        });
        return text.toString().stripTrailing();
    }

    private static String line(Object element) {
        StringBuilder line = new StringBuilder();
        ((Map<?, ?>) element).forEach((name, value) -> {
            String shown = String.valueOf(value).replaceAll("\\p{Cntrl}", " ");
            line.append(line.isEmpty() ? "" : ", ")
                    .append(name)
                    .append('=')
                    .append(shown.length() <= MAX_TEXT ? shown : shown.substring(0, MAX_TEXT) + "…");
        });
        return line.toString();
    }
}
