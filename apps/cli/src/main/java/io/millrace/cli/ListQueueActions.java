// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.queue.DeadJob;
import io.millrace.queue.Job;
import io.millrace.queue.JobQueue;
import io.millrace.queue.QueuePart;
import io.millrace.queue.QueueStatus;
import io.millrace.queue.QueueStatus.RegisteredWorker;
import io.millrace.queue.RecurringJob;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Runs the actions of {@code millrace queue} for a {@link JobQueue}. */
final class ListQueueActions {

    private final QueueRequest request;
    private final JobQueue<byte[]> queue;
    private final Consumer<String> warn;

    ListQueueActions(QueueRequest request, JobQueue<byte[]> queue, Consumer<String> warn) {
        this.request = request;
        this.queue = queue;
        this.warn = warn;
    }

    /** Runs the action. Returns its result, in the order of the output. */
    Map<String, Object> result() {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("queue", queue.name());
        switch (request.action()) {
            case STATS -> putStatus(result);
            case PEEK ->
                result.put(
                        "jobs",
                        queue.peek(request.listed()).stream()
                                .map(ListQueueActions::waitingJob)
                                .toList());
            case DEAD ->
                result.put(
                        "jobs",
                        queue.dead(request.listed()).stream()
                                .map(ListQueueActions::deadJob)
                                .toList());
            case REDRIVE -> redrive(result);
            case PAUSE -> {
                warnIfUnknown();
                queue.pause();
                result.put("paused", true);
            }
            case RESUME -> {
                warnIfUnknown();
                queue.resume();
                result.put("paused", false);
            }
            case PURGE -> {
                warnIfUnknown();
                result.put("removed", queue.purge(request.part().orElse(QueuePart.DEAD)));
            }
        }
        return result;
    }

    private void redrive(Map<String, Object> result) {
        warnIfUnknown();
        long redriven =
                request.id().map(id -> queue.redrive(id) ? 1L : 0L).orElseGet(() -> queue.redrive(request.redriven()));
        result.put("redriven", redriven);
        result.put("remaining", queue.status().dead());
    }

    /** A new queue has no keys, so the action is not an error. But the name may be mistyped. */
    private void warnIfUnknown() {
        QueueStatus status = queue.status();
        long jobs = status.waiting() + status.delayed() + status.suspects() + status.dead() + status.recurring();
        long counted = status.succeeded() + status.failed() + status.died();
        if (jobs + counted == 0 && !status.paused() && status.workers().isEmpty()) {
            warn.accept("the server has no jobs, workers or counters of this queue: queue=" + queue.name()
                    + ". Check the name.");
        }
    }

    private void putStatus(Map<String, Object> result) {
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
        result.put(
                "workers",
                status.workers().stream().map(ListQueueActions::worker).toList());
        result.put(
                "recurring",
                queue.recurringJobs().stream().map(ListQueueActions::recurring).toList());
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
        PayloadText.put(fields, "payload", job.payload());
        return fields;
    }

    private static Map<String, Object> deadJob(DeadJob job) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", job.id());
        fields.put("attempts", job.attempts());
        fields.put("diedAt", job.diedAt().toString());
        fields.put("reason", job.reason());
        PayloadText.put(fields, "payload", job.payload());
        return fields;
    }
}
