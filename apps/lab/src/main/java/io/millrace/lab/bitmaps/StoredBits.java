// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmaps;

import io.millrace.lab.library.BitByBit;
import io.millrace.lab.run.Bar;
import io.millrace.lab.run.Bar.Bound;
import io.millrace.lab.run.Check;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Figure;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Workload;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Random bits are stored, each by a command of its own or packed, and the server counts them. Every bit is then compared.
 *
 * @param glance whether Lettuce is left out
 */
public record StoredBits(boolean glance) implements Workload {

    static final String COUNT_MICROS = "count us";

    /** A command for each bit takes so long that there are fewer of them. */
    private static final int FEWER = 10;

    /** What fits into an array, and into one key of any server. */
    private static final long MOST = 1L << 30;

    @Override
    public String name() {
        return "e6-population";
    }

    @Override
    public String experiment() {
        return "e6";
    }

    @Override
    public long operations(Size size) {
        return Math.min(size.memoryRows(), MOST);
    }

    @Override
    public long operations(Size size, Contender contender, Duration distance) {
        return contender instanceof PackedBits ? operations(size) : Math.max(1, operations(size) / FEWER);
    }

    /** A round is short, and the JVM goes on compiling for longer. */
    @Override
    public int warmUps() {
        return 3;
    }

    @Override
    public Map<String, Figure> figures() {
        return Figure.allOwn(COUNT_MICROS);
    }

    @Override
    public List<Contender> contenders() {
        var oneByOne = BitByBit.Source.all().stream()
                .filter(source -> !glance || !source.name().equals("lettuce"))
                .<Contender>map(source -> new SetBits(source));
        return Stream.concat(oneByOne, Stream.of(new PackedBits())).toList();
    }

    @Override
    public List<Bar> bars() {
        var packed = new PackedBits().label();
        var oneByOne = contenders().stream()
                .map(Contender::label)
                .filter(label -> !label.equals(packed))
                .toList();
        return List.of(
                Bar.toBest("bits per second", packed, oneByOne, Figure.PER_SECOND, Bound.atLeast(50)),
                Bar.absolute("wall", packed, Figure.WALL, Bound.atMost(0.5)));
    }

    @Override
    public Check check() {
        return new Check() {
            @Override
            public List<String> complaints(RedisServer server, long operations) {
                var expected = new RandomBits(operations).packed();
                byte[] found = server.control().get(RandomBits.KEY.getBytes(StandardCharsets.UTF_8));
                if (found == null || found.length != expected.length) {
                    return List.of("bytes: expected=" + expected.length + ", found="
                            + (found == null ? "none" : found.length));
                }
                int differs = Arrays.mismatch(expected, found);
                long ones = server.control().bitcount(RandomBits.KEY);
                return differs < 0 && ones == RandomBits.ones(expected)
                        ? List.of()
                        : List.of("bits: ones expected=" + RandomBits.ones(expected) + ", counted=" + ones
                                + ", first byte that differs=" + differs);
            }

            // Not asked for: all keep an account.
            @Override
            public Outcomes outcomes(RedisServer server, long operations) {
                return Outcomes.answered(operations, 0);
            }
        };
    }
}
