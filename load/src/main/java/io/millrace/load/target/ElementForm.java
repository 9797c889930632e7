// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.Bitmaps;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Sets;
import io.millrace.client.command.SortedSets;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** How a type of Redis adds an element to a key: the command without an expiry, and the script with an expiry. */
enum ElementForm {
    /** {@code RPUSH key element}. */
    LIST(Lists.RPUSH, Set.of(Fusion.RPUSH), RowScript.adding(calling("'RPUSH',k"))),
    /** {@code SADD key element}. */
    SET(Sets.SADD, Set.of(Fusion.SADD), RowScript.adding(calling("'SADD',k"))),
    /** {@code ZADD key score element}. */
    SORTED_SET(SortedSets.ZADD, Set.of(Fusion.ZADD), RowScript.adding(calling("'ZADD',k"))),
    /** {@code SETBIT key element 1}. */
    BITMAP(Bitmaps.SETBIT, Set.of(Fusion.SETBIT), RowScript.adding("""
            local bits={}
            for i=from,to do
            local at=#bits
            bits[at+1],bits[at+2],bits[at+3],bits[at+4]='SET','u1',ARGV[i],'1'
            end
            local e=redis.pcall('BITFIELD',k,unpack(bits))
            if bad(e) then return fail(e) end
            """)),
    /** {@code JSON.SET key $ element}. Each row has its own key. */
    JSON(Commands.JSON_SET, Fusion.NONE, RowScript.separate(calling("'JSON.SET',k,'$'")));

    private static final byte[] READ_MEMBER = ascii("SISMEMBER");
    private static final byte[] READ_SCORE = ascii("ZSCORE");
    private static final byte[] READ_BIT = ascii("GETBIT");
    private static final byte[] ONE = {'1'};
    private static final byte[] ROOT = {'$'};

    private final RowCommand.Plain plain;
    private final RowCommand.Scripted scripted;

    ElementForm(CommandSpec<?> command, Set<Fusion> fusion, RowScript script) {
        plain = new RowCommand.Plain(command, fusion);
        scripted = new RowCommand.Scripted(script);
    }

    /** Statements that call a command with the arguments of the group. {@code words} are the first arguments. */
    private static String calling(String words) {
        return """
                local e=redis.pcall(%s,unpack(ARGV,from,to))
                if bad(e) then return fail(e) end
                """.formatted(words);
    }

    RowCommand command(boolean expires) {
        return expires ? scripted : plain;
    }

    /** Number of arguments of an element in the script. */
    int arguments() {
        return this == SORTED_SET ? 2 : 1;
    }

    /** Writes the arguments between the key and the element of a plain command. A score is not among them. */
    void beforeElement(ArgumentSink sink) {
        if (this == JSON) {
            sink.arg(ROOT);
        }
    }

    /** Writes the arguments after the element of a plain command. */
    void afterElement(ArgumentSink sink) {
        if (this == BITMAP) {
            sink.arg(ONE);
        }
    }

    /** The command that reads an element back. It has the arguments key and element. */
    byte[] readBack() {
        return switch (this) {
            case SET -> READ_MEMBER;
            case SORTED_SET -> READ_SCORE;
            case BITMAP -> READ_BIT;
            case LIST, JSON -> throw new IllegalStateException("rows cannot be read back: form=" + this);
        };
    }

    /** What happens if an element is added again. */
    Repetition repetition() {
        return this == LIST ? Repetition.ADDS_ROW_AGAIN : Repetition.CHANGES_NOTHING;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
