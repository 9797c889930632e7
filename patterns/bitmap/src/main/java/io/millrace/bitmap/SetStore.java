// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Replies;
import io.millrace.client.command.ScriptCall;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Sets;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Stores each set of ids as a Redis set. The server adds, finds and counts ids of single sets. The client fetches the
 * sets of all other results and computes the result, because a Redis set is meant for few ids.
 */
final class SetStore implements ActivityStore {

    /** Maximum number of ids per command, to limit the time for which one command blocks the server. */
    private static final int IDS_PER_COMMAND = 400;

    /** Maximum number of commands in one pipeline, to limit the memory. */
    private static final int COMMANDS_PER_RUN = 1_000;

    private final RedisClient client;
    private final String prefix;
    private final Granularity granularity;
    private final SpanExpiry expiry;

    SetStore(RedisClient client, String prefix, ActivityOptions options) {
        this.client = client;
        this.prefix = prefix;
        this.granularity = options.granularity();
        this.expiry = SpanExpiry.of(options);
    }

    @Override
    public long maxId() {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean mark(EventSpan eventSpan, long id) {
        long[] ids = {id};
        return expiry.isNever() ? client.call(add(eventSpan, ids)) == 1 : client.call(addExpiring(eventSpan, ids)) == 1;
    }

    @Override
    public long mark(Map<EventSpan, long[]> ids) {
        Pipeline pipeline = client.pipeline();
        List<Result<Long>> added = new ArrayList<>();
        long total = 0;
        for (Map.Entry<EventSpan, long[]> marks : ids.entrySet()) {
            long[] all = marks.getValue();
            for (int from = 0; from < all.length; from += IDS_PER_COMMAND) {
                long[] part = Arrays.copyOfRange(all, from, Math.min(all.length, from + IDS_PER_COMMAND));
                added.add(pipeline.add(
                        expiry.isNever()
                                ? add(marks.getKey(), part)
                                : addExpiring(marks.getKey(), part).withBody()));
                if (added.size() == COMMANDS_PER_RUN) {
                    total += sum(pipeline, added);
                }
            }
        }
        return total + sum(pipeline, added);
    }

    /** Runs the pipeline. Returns the sum of the results and removes them. */
    private static long sum(Pipeline pipeline, List<Result<Long>> added) {
        pipeline.run();
        long sum = added.stream().mapToLong(Result::value).sum();
        added.clear();
        return sum;
    }

    private Command<Long> add(EventSpan eventSpan, long[] ids) {
        return Sets.add(
                key(eventSpan), Arrays.stream(ids).mapToObj(Long::toString).toArray(String[]::new));
    }

    private ScriptCall<Long> addExpiring(EventSpan eventSpan, long[] ids) {
        List<Object> arguments = new ArrayList<>(1 + ids.length);
        arguments.add(expiry.millis(eventSpan.span()));
        Arrays.stream(ids).forEach(arguments::add);
        return Scripts.run(SetScripts.ADD_MEMBERS, List.of(key(eventSpan)), arguments)
                .as(Replies::integer);
    }

    @Override
    public boolean contains(List<EventSpan> sources, long id) {
        Pipeline pipeline = client.pipeline();
        List<Result<Boolean>> marked = sources.stream()
                .map(eventSpan -> pipeline.add(Sets.contains(key(eventSpan), Long.toString(id))))
                .toList();
        pipeline.run();
        return marked.stream().anyMatch(Result::value);
    }

    @Override
    public void clear(List<EventSpan> sources) {
        client.call(Keys.unlink(sources.stream().map(this::key).toArray(String[]::new)));
    }

    @Override
    public List<Long> count(List<SetExpression> expressions) {
        if (expressions.stream()
                .allMatch(setExpression -> program(setExpression).isSource())) {
            Pipeline pipeline = client.pipeline();
            List<Result<Long>> sizes = expressions.stream()
                    .map(setExpression -> pipeline.add(
                            Sets.size(key(program(setExpression).sources().getFirst()))))
                    .toList();
            pipeline.run();
            return sizes.stream().map(Result::value).toList();
        }
        return evaluated(expressions).stream().map(ids -> (long) ids.length).toList();
    }

    @Override
    public LongStream members(SetExpression setExpression) {
        return LongStream.of(evaluated(List.of(setExpression)).getFirst());
    }

    @Override
    public long[][] intersectionCounts(List<SetExpression> rows, List<SetExpression> columns) {
        List<long[]> all =
                evaluated(Stream.concat(rows.stream(), columns.stream()).toList());
        long[][] common = new long[rows.size()][columns.size()];
        for (int row = 0; row < rows.size(); row++) {
            for (int column = row; column < columns.size(); column++) {
                common[row][column] = SortedIds.countCommon(all.get(row), all.get(rows.size() + column));
            }
        }
        return common;
    }

    @Override
    public List<String> keys(EventSpan eventSpan) {
        return List.of(key(eventSpan));
    }

    @Override
    public LoadBuffer loadBuffer() {
        return new MarkBuffer((eventSpan, ids) -> mark(Map.of(eventSpan, ids)));
    }

    private String key(EventSpan eventSpan) {
        return eventSpan.key(prefix);
    }

    private BitopProgram program(SetExpression setExpression) {
        return BitopProgram.of(setExpression, granularity);
    }

    private List<long[]> evaluated(List<SetExpression> expressions) {
        SortedIds sortedIds = new SortedIds(fetch(ActivityStore.sources(expressions, granularity)));
        return expressions.stream()
                .map(setExpression -> SetOperations.evaluate(setExpression, granularity, sortedIds))
                .toList();
    }

    private Map<EventSpan, long[]> fetch(List<EventSpan> sources) {
        Pipeline pipeline = client.pipeline();
        Map<EventSpan, Result<Reply>> replies = new LinkedHashMap<>();
        sources.forEach(eventSpan -> replies.put(
                eventSpan,
                pipeline.add(Command.of(Sets.SMEMBERS, key(eventSpan)).as(Replies::raw))));
        pipeline.run();
        Map<EventSpan, long[]> sets = new HashMap<>();
        replies.forEach((eventSpan, reply) -> {
            long[] ids = IdReplies.ids(key(eventSpan), reply.value());
            Arrays.sort(ids);
            sets.put(eventSpan, ids);
        });
        return sets;
    }
}
