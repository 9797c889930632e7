// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.millrace.client.command.Command;
import io.millrace.client.command.Fusion;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Generates random commands on the keys of one caller, for {@link FusionProgram}. Most commands are valid, and most
 * commands use a key of the right type.
 *
 * <p>If {@code careful} is true, the generator avoids two cases in which fusion may change the reply: a {@code GET} of
 * a key that holds no string, and increments whose sum overflows.
 */
final class RandomCommands {

    /** All kinds but scripts: the servers of the programs have no scripts. */
    private static final List<Fusion> KINDS =
            Stream.of(Fusion.values()).filter(kind -> kind != Fusion.SCRIPT).toList();

    private final Random random;
    private final RandomArguments arguments;
    private final boolean careful;
    private final List<byte[]> strings;
    private final List<byte[]> others;

    RandomCommands(int caller, boolean careful, Random random) {
        this.random = random;
        this.careful = careful;
        this.arguments = new RandomArguments(random, careful);
        // Two keys of each type, with names of equal length.
        String binary = RandomArguments.BINARY;
        this.strings = keys(caller, "strg0", "strg1", "s" + binary);
        this.others = keys(caller, "list0", "l" + binary, "hash0", "hash1", "sets0", "sets1", "zset0", "zset1", "any");
    }

    private static List<byte[]> keys(int caller, String... names) {
        return Stream.of(names)
                .map(name -> (caller + ":" + name).getBytes(ISO_8859_1))
                .toList();
    }

    /** Commands of random kinds. */
    List<Command<Reply>> randomCommands(int count) {
        return Stream.generate(() -> random.nextInt(3) == 0 ? unfusedCommand() : one(kind()))
                .limit(count)
                .toList();
    }

    /**
     * Returns commands of one kind. If commands of this kind can be fused only on the same key, most of the commands
     * use the same key. Some bursts contain unusual commands at random positions.
     */
    List<Command<Reply>> burst() {
        Fusion kind = kind();
        int length = switch (random.nextInt(8)) {
            case 0 -> 1;
            case 1 -> 20 + random.nextInt(60);
            default -> 2 + random.nextInt(12);
        };
        int oddEvery = random.nextBoolean() ? 12 : Integer.MAX_VALUE;
        int keyChangeOdds = random.nextInt(3) == 0 ? 1 + random.nextInt(6) : Integer.MAX_VALUE;
        Supplier<byte[]> offsets = arguments.offsets();
        List<Command<Reply>> commands = new ArrayList<>();
        byte[] key = key(kind);
        for (int i = 0; i < length; i++) {
            key = onItsOwnKey(kind) || random.nextInt(keyChangeOdds) == 0 ? key(kind) : key;
            if (random.nextInt(oddEvery) == 0) {
                commands.add(odd(kind, key));
            } else if (kind == Fusion.SETBIT) {
                commands.add(command("SETBIT", key, offsets.get(), arguments.bit()));
            } else {
                commands.add(one(kind, key));
            }
        }
        return commands;
    }

    /**
     * Returns whether commands of {@code kind} can be fused even if their keys differ. If the result is false, the
     * commands can be fused only if they have the same key.
     */
    private static boolean onItsOwnKey(Fusion kind) {
        return switch (kind) {
            case SET, SET_EXPIRING, GET, DEL, UNLINK -> true;
            default -> false;
        };
    }

    private Command<Reply> one(Fusion kind) {
        return one(kind, key(kind));
    }

    private Fusion kind() {
        return KINDS.get(random.nextInt(KINDS.size()));
    }

    private byte[] key(Fusion kind) {
        boolean stray = random.nextInt(12) == 0;
        return switch (kind) {
            case SET, SET_EXPIRING, APPEND, SETBIT, INCRBY -> stray ? pick(others) : pick(strings);
            case GET -> stray && !careful ? pick(others) : pick(strings);
            case LPOP, RPOP, LPUSH, RPUSH -> stray ? strayKey() : others.get(random.nextInt(2));
            case HGET, HSET, HDEL -> stray ? strayKey() : others.get(2 + random.nextInt(2));
            case SISMEMBER, SADD, SREM -> stray ? strayKey() : others.get(4 + random.nextInt(2));
            case ZSCORE, ZADD, ZREM -> stray ? strayKey() : others.get(6 + random.nextInt(2));
            case DEL, UNLINK -> random.nextInt(3) == 0 ? pick(others) : pick(strings);
            case SCRIPT -> throw noScripts();
        };
    }

    /**
     * Returns a random key for a command that creates a list, a hash, a set or a sorted set. If {@code careful} is
     * true, the result is not one of the keys for strings, because a later {@code GET} of this key would then find
     * another type.
     */
    private byte[] strayKey() {
        return careful || random.nextBoolean() ? pick(others) : pick(strings);
    }

    /** An ordinary command of {@code kind}. */
    private Command<Reply> one(Fusion kind, byte[] key) {
        return switch (kind) {
            case SET -> command("SET", key, arguments.value());
            case SET_EXPIRING -> arguments.expiring(key);
            case GET -> command("GET", key);
            case HGET -> command("HGET", key, arguments.member());
            case LPOP -> command("LPOP", key);
            case RPOP -> command("RPOP", key);
            case LPUSH, RPUSH -> pushing(kind.name(), key);
            case APPEND -> command("APPEND", key, arguments.value());
            case INCRBY -> command("INCRBY", key, arguments.amount());
            case SETBIT -> command("SETBIT", key, arguments.offset(), arguments.bit());
            case SISMEMBER -> command("SISMEMBER", key, arguments.member());
            case ZSCORE -> command("ZSCORE", key, arguments.member());
            case HSET -> several("HSET", key, () -> List.of(arguments.member(), arguments.value()));
            case HDEL -> several("HDEL", key, () -> List.of(arguments.member()));
            case SADD -> several("SADD", key, () -> List.of(arguments.member()));
            case SREM -> several("SREM", key, () -> List.of(arguments.member()));
            case ZADD -> several("ZADD", key, () -> List.of(arguments.score(), arguments.member()));
            case ZREM -> several("ZREM", key, () -> List.of(arguments.member()));
            case DEL, UNLINK -> several(kind.name(), key, () -> List.of(key(kind)));
            case SCRIPT -> throw noScripts();
        };
    }

    private static IllegalArgumentException noScripts() {
        return new IllegalArgumentException("a program contains no scripts");
    }

    /** Returns a push command, usually with one element. */
    private Command<Reply> pushing(String name, byte[] key) {
        List<Object> words = new ArrayList<>(List.of(key));
        for (int left = random.nextInt(4) == 0 ? 1 + random.nextInt(4) : 1; left > 0; left--) {
            words.add(arguments.value());
        }
        return command(name, words.toArray());
    }

    private Command<Reply> several(String name, byte[] key, Supplier<List<byte[]>> one) {
        List<Object> words = new ArrayList<>(List.of(key));
        boolean keysOnly = name.equals("DEL") || name.equals("UNLINK");
        for (int left = random.nextInt(6) == 0 ? 1 + random.nextInt(3) : keysOnly ? 0 : 1; left > 0; left--) {
            words.addAll(one.get());
        }
        return command(name, words.toArray());
    }

    /** Returns an unusual command with the name of {@code kind}: with an option, with a mistake, or in a rare form. */
    private Command<Reply> odd(Fusion kind, byte[] key) {
        byte[] value = arguments.value();
        byte[] member = arguments.member();
        return switch (kind) {
            case SET, SET_EXPIRING -> arguments.oddSet(key);
            case GET -> pick(command("GET"), command("GET", key, value));
            case HGET -> pick(command("HGET", key), command("HGET", key, member, member));
            case LPOP, RPOP -> {
                String count = pick("0", "1", "2", "5", "-1", "abc", "01", "");
                yield pick(command(kind.name(), key, count), command(kind.name()), command(kind.name(), key, 1, 2));
            }
            case LPUSH, RPUSH -> pick(command(kind.name(), key), command(kind.name()));
            case APPEND ->
                pick(command("APPEND", key), command("APPEND", key, value, value), command("APPEND", key, ""));
            case INCRBY -> pick(command("INCRBY", key, arguments.badNumber()), command("INCRBY", key));
            case SETBIT ->
                pick(
                        command("SETBIT", key, arguments.badOffset(), arguments.bit()),
                        command("SETBIT", key, arguments.offset(), arguments.badBit()),
                        command("SETBIT", key, 1));
            case SISMEMBER -> pick(command("SISMEMBER", key), command("SISMEMBER", key, member, member));
            case ZSCORE -> pick(command("ZSCORE", key), command("ZSCORE", key, member, member));
            case HSET -> pick(command("HSET", key, member), command("HSET", key, member, value, member));
            case HDEL, SADD, SREM, ZREM -> command(kind.name(), key);
            case ZADD -> arguments.oddAdd(key);
            case DEL, UNLINK -> command(kind.name());
            case SCRIPT -> throw noScripts();
        };
    }

    /** A command that is never fused. */
    Command<Reply> unfusedCommand() {
        byte[] key = random.nextInt(3) == 0 ? pick(strings) : pick(others);
        return switch (random.nextInt(24)) {
            case 0 -> command("EXPIRE", key, 3_600);
            case 1 -> command("PEXPIREAT", key, 1);
            case 2 -> command("PERSIST", key);
            case 3 -> command("TYPE", key);
            case 4 -> command("STRLEN", key);
            case 5 -> command("LRANGE", key, 0, -1);
            case 6 -> command("EXISTS", key, key, pick(strings));
            case 7 -> command("BITCOUNT", key);
            case 8 -> command("GETRANGE", pick(strings), 0, 40);
            case 9 -> command("INCR", pick(strings));
            case 10 ->
                command("EVAL", "return redis.call('SET', KEYS[1], ARGV[1])", 1, pick(strings), arguments.value());
            case 11 -> command("EVAL", "return redis.call('APPEND', KEYS[1], 'x')", 1, pick(strings));
            case 12 -> command("MSET", pick(strings), arguments.value(), pick(strings), arguments.value());
            case 13 -> command("MGET", key, pick(strings));
            case 14 -> command("RENAME", pick(strings), pick(strings));
            case 15 -> command("GETDEL", pick(strings));
            case 16 -> command("HMGET", key, arguments.member(), arguments.member());
            case 17 -> command("ZINCRBY", pick(others), 2, arguments.member());
            case 18 -> command("ZRANGE", key, 0, -1, "WITHSCORES");
            case 19 -> command("LLEN", key);
            case 20 -> command("HLEN", key);
            case 21 -> command("SCARD", key);
            case 22 -> command("SMISMEMBER", key, arguments.member());
            default -> command("ECHO", arguments.value());
        };
    }

    private Command<Reply> command(String name, Object... words) {
        return arguments.command(name, words);
    }

    @SafeVarargs
    private <T> T pick(T... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private byte[] pick(List<byte[]> keys) {
        return keys.get(random.nextInt(keys.size()));
    }
}
