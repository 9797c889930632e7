// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.CsvSource;
import io.millrace.load.source.JdbcOptions;
import io.millrace.load.source.JdbcSource;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.ListTarget;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.resp.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Loads of a CSV file with the checkpoint {@code job}. */
final class CheckpointJob {

    static final int ROWS = 20_000;
    static final StringTarget STRINGS = StringTarget.of("k:{id}", "name");
    static final ListTarget LIST = ListTarget.of("all").withValue("name");

    private final TestRedis redis;
    private final Path folder;
    private final List<LoadEvent> events = new ArrayList<>();

    CheckpointJob(TestRedis redis, Path folder) {
        this.redis = redis;
        this.folder = folder;
        write(rows(ROWS));
    }

    Path csv() {
        return folder.resolve("rows.csv");
    }

    /** Replaces the content of the file. */
    void write(String text) {
        try {
            Files.writeString(csv(), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The events of all loads. */
    List<LoadEvent> events() {
        return events;
    }

    LoadReport interrupted(Target target) {
        return interrupted(target, source());
    }

    LoadReport interrupted(Target target, RowSource source) {
        return interrupted(target, source, null);
    }

    /** Interrupts the load in the middle, after some rows were written. */
    LoadReport interrupted(Target target, RowSource source, @Nullable Path rejects) {
        Loader loader = new Loader(redis.options());
        RowSource stopping = StoppingSource.after(source, ROWS / 3, loader::stop);
        return loader.run(plan(target, stopping, o -> o, rejects), events::add);
    }

    LoadReport run(Target target, UnaryOperator<CheckpointOptions> options) {
        return run(target, source(), options);
    }

    LoadReport run(Target target, RowSource source, UnaryOperator<CheckpointOptions> options) {
        return run(CheckpointStep.Listener.NONE, plan(target, source, options));
    }

    LoadReport run(CheckpointStep.Listener steps, LoadPlan plan) {
        return new Loader(redis.options(), steps).run(plan, events::add);
    }

    void assertRefused(Target target, UnaryOperator<CheckpointOptions> options, String... parts) {
        assertRefused(target, source(), options, parts);
    }

    void assertRefused(Target target, RowSource source, UnaryOperator<CheckpointOptions> options, String... parts) {
        assertThatThrownBy(() -> run(target, source, options))
                .isInstanceOf(PlanException.class)
                .message()
                .contains(parts)
                .endsWith(".");
    }

    LoadPlan plan(Target target, RowSource source, UnaryOperator<CheckpointOptions> options) {
        return plan(target, source, options, null);
    }

    LoadPlan plan(Target target, RowSource source, UnaryOperator<CheckpointOptions> options, @Nullable Path rejects) {
        LoadOptions.Builder builder = LoadOptions.builder()
                .checkpoint(options.apply(CheckpointOptions.of("job").in(folder)));
        if (rejects != null) {
            builder.rejects(rejects);
        }
        return new LoadPlan(source, target, builder.build());
    }

    RowSource source() {
        return CsvSource.of(csv(), CsvOptions.defaults());
    }

    static RowSource query(String url, String query) {
        return JdbcSource.ofQuery(url, query, JdbcOptions.defaults());
    }

    /** The text of a file with {@code count} rows. */
    static String rows(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> i + ",name " + i + "\n")
                .collect(Collectors.joining("", "id,name\n", ""));
    }

    static List<String> list(TestRedis server, String key) {
        return items(server.call("LRANGE", key, "0", "-1")).stream()
                .map(CheckpointJob::text)
                .toList();
    }

    static List<Reply> items(Reply reply) {
        return ((Reply.ArrayReply) reply).items();
    }

    static String text(Reply reply) {
        return ((Reply.BulkString) reply).text();
    }

    String text(String command, String... arguments) {
        return text(redis.call(command, arguments));
    }

    long integer(String command, String... arguments) {
        return ((Reply.IntegerReply) redis.call(command, arguments)).value();
    }
}
