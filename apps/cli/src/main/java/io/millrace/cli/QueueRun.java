// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.load.ExitCode;
import io.millrace.queue.FieldsCodec;
import io.millrace.queue.JobQueue;
import io.millrace.queue.StreamQueue;
import java.util.List;
import java.util.Map;

/** Runs {@code millrace queue}: reads or changes one job queue in a list or in a stream. */
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
        request.warnings().forEach(this::warn);
        try (RedisClient client = RedisClient.connect(request.redis())) {
            Map<String, Object> result = client.call(Keys.type(request.queue())).equals("stream")
                    ? streamResult(client)
                    : listResult(client);
            standardStreams.out().println(request.json() ? JsonText.of(result) : text(result));
            standardStreams.out().flush();
        }
        return ExitCode.OK;
    }

    private void warn(String warning) {
        standardStreams.err().println("warning: " + warning);
    }

    private Map<String, Object> listResult(RedisClient client) {
        JobQueue<byte[]> queue;
        try {
            queue = JobQueue.of(client, request.queue(), Codec.bytes());
        } catch (IllegalArgumentException notValid) {
            throw new UsageException(String.valueOf(notValid.getMessage()), notValid);
        }
        return new ListQueueActions(request, queue, this::warn).result();
    }

    private Map<String, Object> streamResult(RedisClient client) {
        FieldsCodec<Map<String, byte[]>> raw = new FieldsCodec<>(fields -> fields, fields -> fields);
        StreamQueue<Map<String, byte[]>> queue;
        try {
            queue = StreamQueue.of(client, request.queue(), raw);
        } catch (IllegalArgumentException notValid) {
            throw new UsageException(String.valueOf(notValid.getMessage()), notValid);
        }
        return new StreamQueueActions(request, queue).result();
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
                text.append(name).append(": ").append(printable(value)).append('\n');
            }
        });
        return text.toString().stripTrailing();
    }

    private static String line(Object element) {
        StringBuilder line = new StringBuilder();
        ((Map<?, ?>) element).forEach((name, value) -> {
            String shown = printable(value);
            line.append(line.isEmpty() ? "" : ", ")
                    .append(name)
                    .append('=')
                    .append(shown.length() <= MAX_TEXT ? shown : shown.substring(0, MAX_TEXT) + "…");
        });
        return line.toString();
    }

    /** Replaces control characters, also those above ASCII. A terminal could execute them. */
    private static String printable(Object value) {
        return String.valueOf(value).replaceAll("\\p{Cc}", " ");
    }
}
