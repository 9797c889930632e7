// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.queue.DeadLetter;
import io.millrace.queue.QueuePart;
import io.millrace.queue.StreamQueue;
import io.millrace.queue.StreamStatus;
import java.util.LinkedHashMap;
import java.util.Map;

/** Runs the actions of {@code millrace queue} for a {@link StreamQueue}. */
final class StreamQueueActions {

    private final QueueRequest request;
    private final StreamQueue<Map<String, byte[]>> queue;

    StreamQueueActions(QueueRequest request, StreamQueue<Map<String, byte[]>> queue) {
        this.request = request;
        this.queue = queue;
    }

    /**
     * Runs the action. Returns its result, in the order of the output.
     *
     * @throws UsageException if the action has no meaning for a stream
     */
    Map<String, Object> result() {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("queue", request.queue());
        switch (request.action()) {
            case STATS -> putStatus(result);
            case PEEK ->
                throw new UsageException("peek has no meaning for a stream, because each group has its own position:"
                        + " queue=" + request.queue() + ". Use stats or dead, or XRANGE of redis-cli.");
            case DEAD ->
                result.put(
                        "jobs",
                        queue.dead(request.listed()).stream()
                                .map(StreamQueueActions::letter)
                                .toList());
            case REDRIVE -> {
                result.put(
                        "redriven",
                        request.id().isPresent()
                                ? (queue.redrive(request.id().get()) ? 1L : 0L)
                                : queue.redrive(request.redriven()));
                result.put("remaining", queue.status().dead());
            }
            case PAUSE -> {
                queue.pause();
                result.put("paused", true);
            }
            case RESUME -> {
                queue.resume();
                result.put("paused", false);
            }
            case PURGE -> {
                if (request.part().orElse(QueuePart.DEAD) != QueuePart.DEAD) {
                    throw new UsageException("a stream has only the part dead: queue=" + request.queue()
                            + ". Use --part dead, or XTRIM of redis-cli for the entries.");
                }
                result.put("removed", queue.purgeDead());
            }
        }
        return result;
    }

    private void putStatus(Map<String, Object> result) {
        StreamStatus status = queue.status();
        result.put("paused", status.paused());
        result.put("entries", status.entries());
        result.put("dead", status.dead());
        result.put("dropped", status.dropped());
        result.put(
                "groups",
                status.groups().stream().map(StreamQueueActions::group).toList());
    }

    private static Map<String, Object> group(StreamStatus.Group group) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", group.name());
        fields.put("consumers", group.consumers());
        fields.put("pending", group.pending());
        fields.put("oldestMillis", group.oldest().toMillis());
        fields.put("abandoned", group.abandoned());
        return fields;
    }

    private static Map<String, Object> letter(DeadLetter letter) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", letter.id());
        fields.put("entry", letter.entry());
        fields.put("group", letter.group());
        fields.put("attempts", letter.deliveries());
        fields.put("diedAt", letter.diedAt().toString());
        fields.put("reason", letter.reason());
        Map<String, Object> original = new LinkedHashMap<>();
        letter.fields().forEach((name, value) -> PayloadText.put(original, name, value));
        fields.put("fields", original);
        return fields;
    }
}
