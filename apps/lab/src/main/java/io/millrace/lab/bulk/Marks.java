// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;

/**
 * The users who were active on each of {@value #DAYS} days, about a quarter of all ids on each day, as a table that is
 * sorted by day and id.
 *
 * @param perDay number of marks of each day
 */
record Marks(int perDay) {

    static final String KEY_TEMPLATE = Keyspace.PREFIX + "active:{day}";
    static final String OFFSET = "id";

    private static final int DAYS = 30;
    private static final LocalDate FIRST = LocalDate.of(2026, 11, 1);
    private static final int SYNC_EVERY = 1_000;

    /** Of {@code marks} marks, as many as each day has an equal number of. */
    static Marks of(long marks) {
        return new Marks(Math.toIntExact(Math.max(1, marks / DAYS)));
    }

    long all() {
        return (long) perDay * DAYS;
    }

    private static String day(int day) {
        return FIRST.plusDays(day).toString();
    }

    private static byte[] key(int day) {
        return (Keyspace.PREFIX + "active:" + day(day)).getBytes(StandardCharsets.US_ASCII);
    }

    /** The ids that are active on {@code day}, in ascending order. */
    private int[] ids(int day) {
        return IntStream.iterate(0, id -> id + 1)
                .filter(id -> isActive(day, id))
                .limit(perDay)
                .toArray();
    }

    private static boolean isActive(int day, int id) {
        long z = (((long) day << 32) + id + 1) * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        return (z >>> 40 & 3) == 0;
    }

    /** Writes a CSV file with the columns day and id, and returns {@code file}. */
    Path writeCsv(Path file) {
        try (var out = Files.newBufferedWriter(file)) {
            out.write("day," + OFFSET + "\n");
            for (int day = 0; day < DAYS; day++) {
                for (int id : ids(day)) {
                    out.write(day(day) + "," + id + "\n");
                }
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the marks: file=" + file, e);
        }
    }

    /** Compares every bit. */
    ServerUse server() {
        return ServerUse.checkedBy(this::complaints);
    }

    private List<String> complaints(RedisServer server, Sample sample) {
        var complaints =
                new ArrayList<>(FusedCalls.complaints(server, sample, "setbit", "bitfield", all() * sample.units()));
        if (server.keys() != DAYS) {
            complaints.add("keys: expected=" + DAYS + ", found=" + server.keys());
        }
        for (int day = 0; day < DAYS; day++) {
            byte[] found = server.control(key(day)).get(key(day));
            if (!Arrays.equals(bits(day), found)) {
                complaints.add(day(day) + ": marks expected=" + perDay + ", counted="
                        + server.control(key(day)).bitcount(key(day)));
            }
        }
        return complaints;
    }

    /** The first bit is the most significant bit of the first byte. */
    private byte[] bits(int day) {
        int[] ids = ids(day);
        var bits = new byte[ids[ids.length - 1] / 8 + 1];
        for (int id : ids) {
            bits[id / 8] |= (byte) (0x80 >>> id % 8);
        }
        return bits;
    }

    /** {@code SETBIT} through a pipeline of Jedis. The ids are in memory, so this contender reads no file. */
    JvmContender jedis() {
        var description = new Description(
                "jedis",
                "setbit",
                "Pipeline, sync() every " + SYNC_EVERY
                        + " commands, keys as bytes; reads no file: the ids are in memory",
                "https://redis.io/docs/latest/develop/clients/jedis/transpipe/");
        Work work = context -> new SetBits(
                Connections.jedis(context.target()),
                IntStream.range(0, DAYS).mapToObj(this::ids).toList());
        return new JvmContender(description, work, List.of(), Connections::missingForJedis);
    }

    private record SetBits(Jedis jedis, List<int[]> days) implements ReadyWork {

        @Override
        public long run() {
            long marks = 0;
            try (var pipeline = jedis.pipelined()) {
                for (int day = 0; day < DAYS; day++) {
                    marks += mark(pipeline, key(day), days.get(day));
                }
                pipeline.sync();
            }
            return marks;
        }

        private static int mark(Pipeline pipeline, byte[] key, int[] ids) {
            int waiting = 0;
            for (int id : ids) {
                pipeline.setbit(key, id, true);
                if (++waiting == SYNC_EVERY) {
                    pipeline.sync();
                    waiting = 0;
                }
            }
            return ids.length;
        }

        @Override
        public void close() {
            jedis.close();
        }
    }
}
