// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Replies;
import io.millrace.resp.Reply;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/** Generates random arguments, including all special cases, for {@link RandomCommands}. */
final class RandomArguments {

    /** Characters of binary keys and members: a zero character, a line break, and a character outside ASCII. */
    static final String BINARY = "\u0000\r\n\u00ff";

    /**
     * Size of a large value. This is less than half of the largest fused batch. {@link #MAX_BYTES} is more than the
     * largest fused batch.
     */
    private static final int LARGE_BYTES = 3_000;

    private static final int MAX_BYTES = 9_000;

    /**
     * The specs by command name. A bulk writer fuses commands only if they have the same spec object, so commands with
     * the same name share one object.
     */
    private static final Map<String, CommandSpec<Reply>> SPECS = new HashMap<>();

    private final Random random;
    private final boolean careful;

    /**
     * Creates a generator of arguments.
     *
     * @param careful whether to avoid numbers whose sums overflow
     */
    RandomArguments(Random random, boolean careful) {
        this.random = random;
        this.careful = careful;
    }

    /** Returns random bytes of various lengths, or sometimes the digits of a number. */
    byte[] value() {
        int draw = random.nextInt(100);
        if (draw < 35) {
            return number();
        }
        int size = draw < 45 ? 0 : draw < 85 ? random.nextInt(20) : draw < 97 ? random.nextInt(400) : 0;
        if (draw >= 97) {
            size = draw == 99 ? MAX_BYTES : LARGE_BYTES;
        }
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] number() {
        if (!careful && random.nextInt(20) == 0) {
            return bytes(pick("9223372036854775807", "-9223372036854775808", "9223372036854775000"));
        }
        return bytes(Integer.toString(random.nextInt(2_000) - 1_000));
    }

    byte[] amount() {
        if (!careful && random.nextInt(15) == 0) {
            return bytes(pick("9223372036854775807", "-9223372036854775808", "4611686018427387904"));
        }
        return bytes(Integer.toString(
                random.nextInt(7) == 0 ? 0 : random.nextInt(2_000) - (random.nextBoolean() ? 0 : 1_000)));
    }

    byte[] badNumber() {
        return bytes(pick("abc", "", "1.5", "01", "+5", " 5", "5 ", "-0", "0x10", "9223372036854775808", "1e3"));
    }

    /** Returns a random member of a small set. The set is small, so that the same members occur repeatedly. */
    byte[] member() {
        return bytes(
                switch (random.nextInt(10)) {
                    case 0 -> "";
                    case 1 -> "m" + BINARY;
                    default -> "m" + random.nextInt(12);
                });
    }

    byte[] score() {
        if (random.nextInt(8) == 0) {
            return bytes(pick(
                    "inf",
                    "-inf",
                    "+inf",
                    "Infinity",
                    "nan",
                    "abc",
                    "",
                    " 1",
                    "1 ",
                    "+5",
                    "0x10",
                    "1e3",
                    "1e400",
                    "1e-400",
                    ".5",
                    "5.",
                    "-0",
                    "3.0000000000000001",
                    "1e",
                    "1_0",
                    "1f",
                    "1d",
                    "0x1p3",
                    "infx",
                    "--1"));
        }
        return bytes(
                random.nextBoolean()
                        ? Integer.toString(random.nextInt(20) - 10)
                        : Double.toString(random.nextGaussian()));
    }

    // Bits.

    /** Returns a supplier of the bit offsets of one burst. The offsets ascend, descend, stay the same or are random. */
    Supplier<byte[]> offsets() {
        int[] next = {random.nextInt(3) == 0 ? random.nextInt(1_000) : 8 * random.nextInt(20)};
        int step = switch (random.nextInt(5)) {
            case 0 -> -1;
            case 1 -> 0;
            default -> 1;
        };
        boolean anywhere = random.nextInt(3) == 0;
        return () -> {
            if (anywhere) {
                return offset();
            }
            int now = next[0];
            // Sometimes the next offset is not adjacent: it is farther ahead or farther back.
            int jump = random.nextInt(30) == 0 ? random.nextInt(80) - 40 : step;
            next[0] = Math.max(0, now + jump);
            return bytes(Integer.toString(now));
        };
    }

    byte[] offset() {
        return bytes(Integer.toString(random.nextInt(20) == 0 ? random.nextInt(200_000) : random.nextInt(130)));
    }

    byte[] badOffset() {
        return bytes(pick(
                "-1", "007", "+7", "1.0", "", "abc", "4294967296", "99999999999999999999", "#1", "-0", " 1", "00"));
    }

    byte[] bit() {
        return bytes(random.nextBoolean() ? "1" : "0");
    }

    byte[] badBit() {
        return bytes(pick("2", "01", "x", "-1", "", "00", "+1", "4294967297"));
    }

    // Commands with options.

    /**
     * Returns a {@code SET} command with a time to live of about an hour. There are only a few different times to live,
     * so that commands with the same time to live can be fused.
     */
    Command<Reply> expiring(byte[] key) {
        return switch (random.nextInt(8)) {
            case 0 -> command("SET", key, value(), "PX", 3_600_000);
            case 1 -> command("SET", key, value(), "ex", 3_600);
            case 2 -> command("SET", key, value(), "EX", 3_601);
            default -> command("SET", key, value(), "EX", 3_600);
        };
    }

    Command<Reply> oddSet(byte[] key) {
        return switch (random.nextInt(14)) {
            case 0 -> command("SET", key);
            case 1 -> command("SET", key, value(), "NX");
            case 2 -> command("SET", key, value(), "XX");
            case 3 -> command("SET", key, value(), "GET");
            case 4 -> command("SET", key, value(), "KEEPTTL");
            case 5 -> command("SET", key, value(), "EX");
            case 6 -> command("SET", key, value(), "EX", pick("0", "-1", "abc", "", "01"));
            case 7 -> command("SET", key, value(), "EX", "9223372036854775807");
            case 8 -> command("SET", key, value(), "PX", "999999999999999999");
            case 9 -> command("SET", key, value(), "EX", 3_600, "NX");
            case 10 -> command("SET", key, value(), "PXAT", 1);
            case 11 -> command("SET", key, value(), "EXAT", System.currentTimeMillis() / 1_000 + 3_600);
            case 12 -> command("SET", key, value(), "NONSENSE");
            default -> command("SET");
        };
    }

    Command<Reply> oddAdd(byte[] key) {
        return switch (random.nextInt(10)) {
            case 0 -> command("ZADD", key);
            case 1 -> command("ZADD", key, 1);
            case 2 -> command("ZADD", key, "NX", member());
            case 3 -> command("ZADD", key, "INCR", 5);
            case 4 -> command("ZADD", key, "NX", 5, member());
            case 5 -> command("ZADD", key, "XX", "CH", 5, member());
            case 6 -> command("ZADD", key, "INCR", 5, member());
            case 7 -> command("ZADD", key, "GT", 5, member(), 6, member());
            case 8 -> command("ZADD", key, 5, member(), 6);
            default -> command("ZADD", key, "CH", 5, member(), "x", member());
        };
    }

    /** Returns a command. The name is sometimes in lower case. */
    Command<Reply> command(String name, Object... words) {
        String written = random.nextInt(20) == 0 ? name.toLowerCase(Locale.ROOT) : name;
        return Command.of(SPECS.computeIfAbsent(written, key -> CommandSpec.of(key, Replies::raw)), words);
    }

    private static byte[] bytes(String latin) {
        return latin.getBytes(ISO_8859_1);
    }

    private String pick(String... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
