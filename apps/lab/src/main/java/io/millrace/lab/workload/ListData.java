// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import io.millrace.client.BulkWriter;
import io.millrace.client.Outcome;
import io.millrace.client.command.Lists;
import io.millrace.lab.run.FusedCalls;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.RedisServer;
import io.millrace.resp.Reply.BulkString;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** {@code LPOP list:000000042}, {@value #POPS} times for each list, which is empty then. Every element is looked at. */
final class ListData implements BulkData {

    private static final int POPS = 200;

    private static String list(long n) {
        return String.format(Locale.ROOT, "list:%09d", n);
    }

    private static String element(long n) {
        return Long.toString(n);
    }

    /** Whole lists. */
    @Override
    public long operations(long asked) {
        return Math.max(POPS, asked / POPS * POPS);
    }

    @Override
    public void fill(RedisServer server, long operations) {
        try (var pipeline = server.control().pipelined()) {
            for (long list = 0; list < operations / POPS; list++) {
                long first = list * POPS;
                pipeline.rpush(
                        list(list),
                        IntStream.range(0, POPS)
                                .mapToObj(i -> element(first + i))
                                .toArray(String[]::new));
            }
            pipeline.sync();
        }
    }

    @Override
    public void write(BulkWriter writer, long operations) {
        var key = list(0).getBytes(StandardCharsets.US_ASCII);
        for (long n = 0; n < operations; n++) {
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
            throw new LabException(
                    "a pop was not answered with its element: expected=" + element(tag) + ", outcome=" + outcome);
        }
    }

    /** Without a text for each: it is timed. */
    private static boolean isNumber(byte[] digits, long expected) {
        long number = 0;
        for (byte digit : digits) {
            number = number * 10 + digit - '0';
        }
        return number == expected;
    }

    @Override
    public List<String> complaints(RedisServer server, long operations, FusedCalls fused) {
        var complaints = new ArrayList<>(fused.complaints(server, "lpop", "lpop", operations));
        long left = server.control().dbSize();
        if (left > 0) {
            complaints.add("lists that are not empty: " + left);
        }
        return complaints;
    }
}
