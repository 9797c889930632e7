// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.client.BulkWriter;
import io.millrace.client.Outcome;
import io.millrace.client.command.Lists;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.LabException;
import io.millrace.lab.server.RedisServer;
import io.millrace.resp.Reply.BulkString;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** {@code LPOP}, {@value #POPS} times for each list. Every element is checked, and every list is empty at the end. */
record PopData(long lists) implements BulkData {

    private static final int POPS = 200;
    private static final int LISTS_PER_PIPELINE = 1_000;

    static PopData ofCommands(long commands) {
        return new PopData(Math.max(1, commands / POPS));
    }

    private static String list(long n) {
        return String.format(Locale.ROOT, Keyspace.PREFIX + "list:%09d", n);
    }

    @Override
    public long operations() {
        return lists * POPS;
    }

    @Override
    public void write(BulkWriter writer) {
        var key = list(0).getBytes(StandardCharsets.US_ASCII);
        for (long n = 0; n < operations(); n++) {
            writer.begin(Lists.LPOP).arg(key).end(n);
            if (n % POPS == POPS - 1) {
                StringData.increment(key);
            }
        }
    }

    @Override
    public void check(long tag, Outcome outcome) {
        if (!(outcome instanceof Outcome.Ok ok)
                || !(ok.reply() instanceof BulkString(byte[] found))
                || !isNumber(found, tag)) {
            throw new LabException("wrong reply to LPOP: expected=" + tag + ", outcome=" + outcome);
        }
    }

    /** Makes no text from the digits, because the time of the check is measured. */
    private static boolean isNumber(byte[] digits, long expected) {
        long number = 0;
        for (byte digit : digits) {
            number = number * 10 + digit - '0';
        }
        return number == expected;
    }

    @Override
    public ServerUse server() {
        return ServerUse.checkedBy(this::complaints).filledBy(this::fill);
    }

    private void fill(RedisServer server) {
        for (long from = 0; from < lists; from += LISTS_PER_PIPELINE) {
            var elements = LongStream.range(from, Math.min(from + LISTS_PER_PIPELINE, lists))
                    .boxed()
                    .collect(Collectors.toMap(PopData::list, PopData::elements));
            server.forEach(
                    elements.keySet(),
                    (pipeline, list) -> pipeline.rpush(list, elements.getOrDefault(list, new String[0])));
        }
    }

    private static String[] elements(long list) {
        return LongStream.range(list * POPS, (list + 1) * POPS)
                .mapToObj(Long::toString)
                .toArray(String[]::new);
    }

    private List<String> complaints(RedisServer server, Sample sample) {
        var complaints =
                new ArrayList<>(FusedCalls.complaints(server, sample, "lpop", "lpop", operations() * sample.units()));
        long left = server.keys();
        if (left > 0) {
            complaints.add("lists that are not empty: " + left);
        }
        return complaints;
    }
}
