// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.load.ExitCode;
import io.millrace.queue.Cron;
import io.millrace.queue.DeadJob;
import io.millrace.queue.FieldsCodec;
import io.millrace.queue.JobOptions;
import io.millrace.queue.JobQueue;
import io.millrace.queue.StreamQueue;
import io.millrace.queue.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests {@code millrace queue}. */
class QueueCommandTest {

    private static EmbeddedRedis redis;
    private static RedisClient client;

    private JobQueue<String> queue;

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        client = RedisClient.connect(RedisUri.parse(redis.uri()));
    }

    @AfterAll
    static void end() {
        client.close();
        redis.close();
    }

    @BeforeEach
    void clear() {
        client.call(Server.flush());
        queue = JobQueue.of(client, "emails", Codec.text());
    }

    private static CliRun run(String... args) {
        CliRun run = CliRun.of(Stream.concat(
                        Stream.of("queue"), Stream.concat(Stream.of(args), Stream.of("-u", redis.uri())))
                .toArray(String[]::new));
        assertThat(run.code()).as(run.err()).isZero();
        return run;
    }

    /** Fails each job once, so that it is dead. */
    private void bury(List<String> payloads) throws InterruptedException {
        List<String> unused = queue.pushAll(payloads);
        try (Worker worker = queue.worker(1, job -> {
                    throw new IllegalStateException("no \"mailbox\"");
                })
                .maxAttempts(1)
                .endWhenEmpty()
                .start()) {
            worker.await();
        }
    }

    @Test
    void statsAreALineForEachNumberOrOneJsonObject() throws Exception {
        bury(List.of("a", "b"));
        List<String> unused = queue.pushAll(List.of("c", "d", "e"));
        String later = queue.push("later", JobOptions.after(Duration.ofHours(1)));
        queue.recurring("nightly", Cron.of("@daily"), "x");

        CliRun text = run("stats", "emails");
        CliRun json = run("stats", "emails", "--json");

        assertThat(later).isNotEmpty();
        assertThat(text.out())
                .contains("queue: emails\npaused: false\nwaiting: 3\ndelayed: 1\nrunning: 0\nsuspects: 0\ndead: 2\n")
                .contains(
                        "failed: 2\ndied: 2\ndropped: 0\nworkers: 0\nrecurring: 1\n  name=nightly, cron=@daily, zone=Z,");
        assertThat(json.out())
                .startsWith("{\"queue\":\"emails\",\"paused\":false,\"waiting\":3,\"delayed\":1,\"running\":0,"
                        + "\"suspects\":0,\"dead\":2,\"succeeded\":0,\"failed\":2,\"died\":2,\"dropped\":0,\"workers\":[],"
                        + "\"recurring\":[{\"name\":\"nightly\",\"cron\":\"@daily\",\"zone\":\"Z\",\"next\":\"");
    }

    @Test
    void peekShowsTheNextJobs() {
        List<String> ids = queue.pushAll(List.of("a\n1", "b", "c"));

        CliRun text = run("peek", "emails", "--limit", "2");
        CliRun json = run("peek", "emails", "--limit", "1", "--json");

        assertThat(text.out())
                .startsWith("queue: emails\njobs: 2\n  id=" + ids.getFirst() + ", attempt=1, pushedAt=")
                .contains("payload=a 1\n")
                .endsWith("payload=b\n");
        assertThat(json.out())
                .startsWith("{\"queue\":\"emails\",\"jobs\":[{\"id\":\"" + ids.getFirst() + "\",\"attempt\":1,")
                .endsWith("\"payload\":\"a\\n1\"}]}\n");
        assertThat(queue.size()).isEqualTo(3);
    }

    @Test
    void payloadThatIsNotTextIsShownInBase64() {
        JobQueue<byte[]> bytes = JobQueue.of(client, "emails", Codec.bytes());
        String unused = bytes.push(new byte[] {(byte) 0xff, 0});

        assertThat(run("peek", "emails", "--json").out()).endsWith("\"payloadBase64\":\"/wA=\"}]}\n");
    }

    @Test
    void deadJobsAreShownWithTheirReasonsAndRedriven() throws Exception {
        bury(List.of("a", "b", "c"));
        List<DeadJob> dead = queue.dead(10);

        CliRun shown = run("dead", "emails", "--limit", "1", "--json");
        CliRun one = run("redrive", "emails", "--id", dead.getFirst().id());
        CliRun rest = run("redrive", "emails", "--json");

        assertThat(shown.out())
                .startsWith("{\"queue\":\"emails\",\"jobs\":[{\"id\":\""
                        + dead.getFirst().id() + "\",\"attempts\":1,")
                .contains("\"reason\":\"failed: java.lang.IllegalStateException: no \\\"mailbox\\\"\"")
                .endsWith("\"payload\":\"c\"}]}\n");
        assertThat(one.out()).isEqualTo("queue: emails\nredriven: 1\nremaining: 2\n");
        assertThat(rest.out()).isEqualTo("{\"queue\":\"emails\",\"redriven\":2,\"remaining\":0}\n");
        assertThat(queue.size()).isEqualTo(3);
    }

    @Test
    void redriveWithoutALimitMovesAllDeadJobs() throws Exception {
        bury(IntStream.range(0, 25).mapToObj(Integer::toString).toList());

        CliRun some = run("redrive", "emails", "--limit", "3");
        CliRun all = run("redrive", "emails");

        assertThat(some.out()).isEqualTo("queue: emails\nredriven: 3\nremaining: 22\n");
        assertThat(all.out()).isEqualTo("queue: emails\nredriven: 22\nremaining: 0\n");
    }

    @Test
    void changeOfAnUnknownQueueHasAWarning() {
        assertThat(run("pause", "emials").err())
                .contains("warning: the server has no jobs, workers or counters of this queue: queue=emials. "
                        + "Check the name.");
        assertThat(run("stats", "emials").err()).isEmpty();
    }

    @Test
    void controlCharactersAboveAsciiDoNotReachTheTerminal() {
        String unused = queue.push("a\u009b31mred");

        assertThat(run("peek", "emails").out()).contains("payload=a 31mred").doesNotContain("\u009b");
        assertThat(run("peek", "emails", "--json").out()).contains("a\\u009b31mred");
    }

    @Test
    void deadLettersOfAStreamAreShownRedrivenAndPurged() throws Exception {
        StreamQueue<String> stream = StreamQueue.of(client, "stream", FieldsCodec.of("task", Codec.text()));
        List<String> unused = stream.pushAll(List.of("a", "b", "c"));
        try (Worker worker = stream.worker("mills", 1, job -> {
                    throw new IllegalStateException("poison");
                })
                .maxAttempts(1)
                .endWhenEmpty()
                .start()) {
            worker.await();
        }
        String newest = stream.dead(1).getFirst().id();

        CliRun stats = run("stats", "stream");
        CliRun dead = run("dead", "stream", "--limit", "1");
        CliRun one = run("redrive", "stream", "--id", newest);
        CliRun purged = run("purge", "stream", "--part", "dead", "--json");

        assertThat(stats.out())
                .contains("paused: false\n")
                .contains("dead: 3\ndropped: 0\ngroups: 1\n  name=mills, consumers=");
        assertThat(dead.out()).contains("jobs: 1\n  id=" + newest).contains("fields={task=c}");
        assertThat(one.out()).isEqualTo("queue: stream\nredriven: 1\nremaining: 2\n");
        assertThat(purged.out()).isEqualTo("{\"queue\":\"stream\",\"removed\":2}\n");
    }

    @Test
    void actionsWithoutAMeaningForAStreamAreExplained() {
        StreamQueue<String> stream = StreamQueue.of(client, "stream", FieldsCodec.of("task", Codec.text()));
        String unused = stream.push("a");

        CliRun peek = CliRun.of("queue", "peek", "stream", "-u", redis.uri());
        CliRun purge = CliRun.of("queue", "purge", "stream", "--part", "waiting", "-u", redis.uri());

        assertThat(peek.code()).isEqualTo(ExitCode.USAGE.number());
        assertThat(peek.err()).containsIgnoringCase("peek has no meaning for a stream");
        assertThat(purge.code()).isEqualTo(ExitCode.USAGE.number());
        assertThat(purge.err()).containsIgnoringCase("a stream has only the part dead: queue=stream.");
    }

    @Test
    void queueIsPausedAndResumed() {
        assertThat(run("pause", "emails").out()).isEqualTo("queue: emails\npaused: true\n");
        assertThat(queue.status().paused()).isTrue();
        assertThat(run("pause", "emails", "--json").out()).isEqualTo("{\"queue\":\"emails\",\"paused\":true}\n");
        assertThat(run("resume", "emails", "--json").out()).isEqualTo("{\"queue\":\"emails\",\"paused\":false}\n");
        assertThat(queue.status().paused()).isFalse();
    }

    @Test
    void purgeRemovesOnePart() {
        List<String> unused = queue.pushAll(List.of("a", "b"));
        String later = queue.push("later", JobOptions.after(Duration.ofHours(1)));

        CliRun delayed = run("purge", "emails", "--part", "delayed");

        assertThat(later).isNotEmpty();
        assertThat(delayed.out()).isEqualTo("queue: emails\nremoved: 1\n");
        assertThat(queue.size()).isEqualTo(2);
        assertThat(run("purge", "emails", "--part", "waiting", "--json").out())
                .isEqualTo("{\"queue\":\"emails\",\"removed\":2}\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "queue                               | missing required parameters",
                "queue stats                         | missing required parameter",
                "queue grow emails                   | 'grow' is an unknown action. Legal: stats, peek, dead, redrive, pause, resume, purge.",
                "queue stats emails more             | unexpected argument 'more': the command has one ACTION and one NAME.",
                "queue purge emails                  | purge needs --part waiting, --part delayed or --part dead.",
                "queue purge emails --part all       | 'all' is an unknown part of a queue. Legal: waiting, delayed, dead.",
                "queue stats emails --id 5           | --id has a meaning only for redrive.",
                "queue stats emails --limit 5        | --limit has a meaning only for peek, dead and redrive.",
                "queue redrive emails --id 5 --limit 5 | --id names one job, so --limit has no meaning.",
                "queue peek emails --limit 0         | --limit 0 is out of range: 1 to 100,000."
            })
    void wrongArgumentsAreExplained(String line, String message) {
        CliRun run = CliRun.of(Map.of(), "", line.split(" +"));

        assertThat(run.code()).isEqualTo(ExitCode.USAGE.number());
        assertThat(run.err()).containsIgnoringCase(message);
    }

    @Test
    void invalidQueueNameIsAUsageError() {
        CliRun run = CliRun.of("queue", "stats", "a}b", "-u", redis.uri());

        assertThat(run.code()).isEqualTo(ExitCode.USAGE.number());
        assertThat(run.err()).contains("a queue key cannot become the hash tag of additional keys: key=a}b");
    }

    @Test
    void jsonTextEscapesControlCharacters() {
        assertThat(JsonText.of(Map.of("a", List.of("\u0001\t\"\\é", 5, true))))
                .isEqualTo("{\"a\":[\"\\u0001\\t\\\"\\\\é\",5,true]}");
    }
}
