// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Streams;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RedisException;
import io.millrace.tasks.Batching;
import io.millrace.tasks.Outcome;
import io.millrace.tasks.TaskFlow;
import io.millrace.tasks.TaskFlowReport;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Pushing tasks to queues. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class QueueSinkTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @Test
    void taskIsInTheListWhenAcceptReturns() {
        RedisClient client = REDIS.client();

        ListQueue.of("feeds", Codec.text()).sink(client).accept("a");

        assertThat(client.call(Lists.range("feeds", 0, -1))).containsExactly("a");
    }

    @Test
    void tasksThatTheCodecRejectsFailAndTheOtherTasksOfTheBatchArePushed() {
        RedisClient client = REDIS.client();
        Codec<String> picky = Codec.text(
                task -> {
                    if (task.endsWith("7")) {
                        throw new IllegalArgumentException("a seven");
                    }
                    return task;
                },
                task -> task);

        TaskFlowReport<String> report = TaskFlow.of(TestTasks.tasks(100))
                .consumers(1)
                .continueOnFailure()
                .batches(Batching.of(30))
                .run(ListQueue.of("feeds", picky).sink(client));

        assertThat(report.counts().succeeded()).isEqualTo(90);
        assertThat(report.failures()).extracting(Outcome::task).allMatch(task -> task.endsWith("7"));
        assertThat(client.call(Lists.size("feeds"))).isEqualTo(90);
    }

    @Test
    void pushWithAnErrorReplyIsReportedAsAFailure() {
        RedisClient client = REDIS.client();
        client.call(Strings.set("feeds", "not a queue"));
        QueueSink<String> sink =
                StreamQueue.of("feeds", FieldsCodec.of("task", Codec.text())).sink(client);

        TaskFlowReport<String> report = TaskFlow.of(TestTasks.tasks(10))
                .continueOnFailure()
                .batches(Batching.of(5))
                .run(sink);

        assertThat(report.counts().failed()).isEqualTo(10);
        assertThat(report.failures())
                .allSatisfy(failure -> assertThat(((Outcome.Failed<String, ?>) failure).cause())
                        .isInstanceOf(ErrorReplyException.class)
                        .hasMessageContaining("WRONGTYPE"));
        assertThatThrownBy(() -> sink.accept("one")).isInstanceOf(RedisException.class);
    }

    @Test
    void pushOverABrokenConnectionIsReportedAsAFailure() {
        RedisServerExtension.BreakableConnection line = REDIS.breakableClient();
        QueueSink<String> sink = ListQueue.of("feeds", Codec.text()).sink(line.client());
        line.disconnect();

        TaskFlowReport<String> report = TaskFlow.of(TestTasks.tasks(10))
                .consumers(1)
                .continueOnFailure()
                .batches(Batching.of(10))
                .run(sink);

        assertThat(report.counts().failed()).isEqualTo(10);
    }

    @Test
    void taskWithoutFieldsIsRejected() {
        RedisClient client = REDIS.client();
        QueueSink<Map<String, String>> sink =
                StreamQueue.of("feeds", FieldsCodec.TEXT).sink(client);

        assertThatThrownBy(() -> sink.accept(Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a task has no fields: queue=feeds. Use a codec that returns at least one field.");
    }

    @Test
    void fieldsOfAStreamEntryKeepTheirOrder() {
        RedisClient client = REDIS.client();
        Map<String, String> fields = new LinkedHashMap<>();
        List.of("z", "a", "m").forEach(name -> fields.put(name, name + "!"));

        StreamQueue.of("feeds", FieldsCodec.TEXT).sink(client).accept(fields);

        assertThat(client.call(Streams.range("feeds", "-", "+", 1))
                        .getFirst()
                        .fields()
                        .keySet())
                .containsExactly("z", "a", "m");
    }
}
