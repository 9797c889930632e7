// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.internal.range.Ranges;
import java.util.List;
import java.util.Optional;

/**
 * Commands on bitmaps, which are string keys used as bit arrays. Offsets count bits from 0 to 4,294,967,295 (512 MB).
 */
public final class Bitmaps {

    /** {@code SETBIT key offset bit}: returns the old bit. */
    public static final CommandSpec<Boolean> SETBIT = CommandSpec.of("SETBIT", Decoders.FLAG);

    /** {@code GETBIT key offset}: returns the bit. */
    public static final CommandSpec<Boolean> GETBIT =
            CommandSpec.of("GETBIT", Decoders.FLAG).idempotently();

    /** {@code BITCOUNT key [range]}: returns the number of set bits. */
    public static final CommandSpec<Long> BITCOUNT =
            CommandSpec.of("BITCOUNT", Decoders.INTEGER).idempotently();

    /** {@code BITOP operation destination key …}: returns the length of the destination in bytes. */
    public static final CommandSpec<Long> BITOP = CommandSpec.of("BITOP", Decoders.INTEGER);

    /**
     * {@code BITPOS key bit [range]}: returns the offset of the first bit that equals {@code bit}, -1 if no bit equals
     * {@code bit}.
     */
    public static final CommandSpec<Long> BITPOS =
            CommandSpec.of("BITPOS", Decoders.INTEGER).idempotently();

    /**
     * {@code BITFIELD key operation …}: returns one number for each operation; empty for an operation that failed on
     * overflow.
     */
    public static final CommandSpec<List<Optional<Long>>> BITFIELD =
            CommandSpec.of("BITFIELD", Replies.list(Replies.optional(Decoders.INTEGER)));

    /** {@code BITFIELD_RO key operation …}: returns one number for each operation. */
    public static final CommandSpec<List<Optional<Long>>> BITFIELD_RO = CommandSpec.of(
                    "BITFIELD_RO", Replies.list(Replies.optional(Decoders.INTEGER)))
            .idempotently();

    private static final long LAST_OFFSET = (1L << 32) - 1;

    private Bitmaps() {}

    /** Sets the bit at {@code offset} of {@code key}. Returns the old bit. */
    public static Command<Boolean> set(String key, long offset, boolean bit) {
        return Command.of(SETBIT, key, checked(offset), digit(bit));
    }

    /** Same command as {@link #set(String, long, boolean)}, with a binary key. */
    public static Command<Boolean> set(byte[] key, long offset, boolean bit) {
        return Command.of(SETBIT, key, checked(offset), digit(bit));
    }

    /** Reads the bit at {@code offset} of {@code key}. A missing bit reads as false. */
    public static Command<Boolean> get(String key, long offset) {
        return Command.of(GETBIT, key, checked(offset));
    }

    /** Same command as {@link #get(String, long)}, with a binary key. */
    public static Command<Boolean> get(byte[] key, long offset) {
        return Command.of(GETBIT, key, checked(offset));
    }

    /** Counts the set bits of {@code key}. */
    public static Command<Long> count(String key) {
        return Command.of(BITCOUNT, key);
    }

    /** Same command as {@link #count(String)}, with a binary key. */
    public static Command<Long> count(byte[] key) {
        return Command.of(BITCOUNT, key);
    }

    /**
     * Counts the set bits in the bytes {@code first} to {@code last} of {@code key}, both included. -1 is the last
     * byte.
     */
    public static Command<Long> count(String key, long first, long last) {
        return Command.of(BITCOUNT, key, first, last);
    }

    /** Same command as {@link #count(String, long, long)}, with a binary key. */
    public static Command<Long> count(byte[] key, long first, long last) {
        return Command.of(BITCOUNT, key, first, last);
    }

    /**
     * Combines the bits of {@code sources} with {@code operation} and stores the result in {@code destination}.
     * Requires at least one source; the operation {@code NOT} requires exactly one source.
     */
    public static Command<Long> combine(BitOperation operation, String destination, String... sources) {
        return combined(operation, destination, sources);
    }

    /** Same command as {@link #combine(BitOperation, String, String...)}, with binary keys. */
    public static Command<Long> combine(BitOperation operation, byte[] destination, byte[]... sources) {
        return combined(operation, destination, sources);
    }

    /** Returns the offset of the first bit of {@code key} that equals {@code bit}, empty if there is no such bit. */
    public static Command<Optional<Long>> position(String key, boolean bit) {
        return Command.of(BITPOS, key, digit(bit)).as(reply -> found(Replies.integer(reply)));
    }

    /** Same command as {@link #position(String, boolean)}, with a binary key. */
    public static Command<Optional<Long>> position(byte[] key, boolean bit) {
        return Command.of(BITPOS, key, digit(bit)).as(reply -> found(Replies.integer(reply)));
    }

    /** Executes {@code operations} on the numbers in {@code key}. Requires at least one operation. */
    public static Command<List<Optional<Long>>> field(String key, BitField operations) {
        return fields(BITFIELD, key, operations);
    }

    /** Same command as {@link #field(String, BitField)}, with a binary key. */
    public static Command<List<Optional<Long>>> field(byte[] key, BitField operations) {
        return fields(BITFIELD, key, operations);
    }

    /**
     * Counts the set bits of {@code key} from the bit {@code first} to the bit {@code last}, both included. -1 is the
     * last bit. Redis 7.0 or later.
     */
    public static Command<Long> countBits(String key, long first, long last) {
        return Command.of(BITCOUNT, key, first, last, "BIT");
    }

    /** Same command as {@link #countBits(String, long, long)}, with a binary key. */
    public static Command<Long> countBits(byte[] key, long first, long last) {
        return Command.of(BITCOUNT, key, first, last, "BIT");
    }

    /**
     * Searches as {@link #position(String, boolean)} does, from the byte {@code first} to the byte {@code last}, both
     * included. -1 is the last byte.
     */
    public static Command<Optional<Long>> position(String key, boolean bit, long first, long last) {
        return Command.of(BITPOS, key, digit(bit), first, last).as(reply -> found(Replies.integer(reply)));
    }

    /** Same command as {@link #position(String, boolean, long, long)}, with a binary key. */
    public static Command<Optional<Long>> position(byte[] key, boolean bit, long first, long last) {
        return Command.of(BITPOS, key, digit(bit), first, last).as(reply -> found(Replies.integer(reply)));
    }

    /**
     * Executes {@code operations} on the numbers in {@code key}, without a write. The server returns an error unless
     * each operation is {@link BitField#get}.
     */
    public static Command<List<Optional<Long>>> readField(String key, BitField operations) {
        return fields(BITFIELD_RO, key, operations);
    }

    /** Same command as {@link #readField(String, BitField)}, with a binary key. */
    public static Command<List<Optional<Long>>> readField(byte[] key, BitField operations) {
        return fields(BITFIELD_RO, key, operations);
    }

    static long checked(long offset) {
        Ranges.check("offset", offset, 0L, LAST_OFFSET);
        return offset;
    }

    private static Command<Long> combined(BitOperation operation, Object destination, Object[] sources) {
        if (operation == BitOperation.NOT && sources.length != 1) {
            throw new IllegalArgumentException("BITOP NOT takes 1 source, not " + sources.length);
        }
        return Arguments.of(operation.name(), destination)
                .addEach("sources", sources)
                .to(BITOP);
    }

    private static Command<List<Optional<Long>>> fields(
            CommandSpec<List<Optional<Long>>> spec, Object key, BitField operations) {
        return Arguments.of(key)
                .addEach("operations", operations.arguments().toArray())
                .to(spec);
    }

    private static Optional<Long> found(long offset) {
        return offset < 0 ? Optional.empty() : Optional.of(offset);
    }

    private static int digit(boolean bit) {
        return bit ? 1 : 0;
    }
}
