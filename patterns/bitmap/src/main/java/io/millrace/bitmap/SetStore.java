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
import java.util.function.Supplier;
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

    /**
     * Number of sets fetched together. The reply with a set takes several times the memory of its decoded ids, so the
     * replies of all sets must not be in memory at the same time.
     */
    private static final int SETS_PER_FETCH = 8;

    private final RedisClient client;
    private final String prefix;
    private final Granularity granularity;
    private final Supplier<SpanExpiry> expiry;

    /** @param expiry returns the current expiry of the spans */
    SetStore(RedisClient client, String prefix, ActivityOptions options, Supplier<SpanExpiry> expiry) {
        this.client = client;
        this.prefix = prefix;
        this.granularity = options.granularity();
        this.expiry = expiry;
    }

    @Override
    public long maxId() {
        return Long.MAX_VALUE;
    }

    @Override
    public MarkCounts mark(EventSpan eventSpan, long id) {
        long[] ids = {id};
        long reply =
                expiry.get().isNever() ? client.call(add(eventSpan, ids)) : client.call(addExpiring(eventSpan, ids));
        return MarkCounts.of(reply, 1);
    }

    @Override
    public MarkCounts mark(Map<EventSpan, long[]> ids) {
        Pipeline pipeline = client.pipeline();
        List<SentMarks> sent = new ArrayList<>();
        MarkCounts total = MarkCounts.NONE;
        for (Map.Entry<EventSpan, long[]> marks : ids.entrySet()) {
            long[] all = marks.getValue();
            for (int from = 0; from < all.length; from += IDS_PER_COMMAND) {
                long[] part = Arrays.copyOfRange(all, from, Math.min(all.length, from + IDS_PER_COMMAND));
                Result<Long> reply = pipeline.add(
                        expiry.get().isNever()
                                ? add(marks.getKey(), part)
                                : addExpiring(marks.getKey(), part).withBody());
                sent.add(new SentMarks(reply, part.length));
                if (sent.size() == COMMANDS_PER_RUN) {
                    total = total.plus(sum(pipeline, sent));
                }
            }
        }
        return total.plus(sum(pipeline, sent));
    }

    /** Runs the pipeline. Returns the sum of the results and removes them. */
    private static MarkCounts sum(Pipeline pipeline, List<SentMarks> sent) {
        pipeline.run();
        MarkCounts sum = MarkCounts.NONE;
        for (SentMarks each : sent) {
            sum = sum.plus(each.counts());
        }
        sent.clear();
        return sum;
    }

    private Command<Long> add(EventSpan eventSpan, long[] ids) {
        return Sets.add(
                key(eventSpan), Arrays.stream(ids).mapToObj(Long::toString).toArray(String[]::new));
    }

    private ScriptCall<Long> addExpiring(EventSpan eventSpan, long[] ids) {
        List<Object> arguments = new ArrayList<>(1 + ids.length);
        arguments.add(expiry.get().millis(eventSpan.span()));
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
        Map<EventSpan, long[]> sets = new HashMap<>();
        for (int from = 0; from < sources.size(); from += SETS_PER_FETCH) {
            fetch(sources.subList(from, Math.min(from + SETS_PER_FETCH, sources.size())), sets);
        }
        return sets;
    }

    private void fetch(List<EventSpan> sources, Map<EventSpan, long[]> sets) {
        Pipeline pipeline = client.pipeline();
        Map<EventSpan, Result<Reply>> replies = new LinkedHashMap<>();
        sources.forEach(eventSpan -> replies.put(
                eventSpan,
                pipeline.add(Command.of(Sets.SMEMBERS, key(eventSpan)).as(Replies::raw))));
        pipeline.run();
        replies.forEach((eventSpan, reply) -> {
            long[] ids = IdReplies.ids(key(eventSpan), reply.value());
            Arrays.sort(ids);
            sets.put(eventSpan, ids);
        });
    }
}
