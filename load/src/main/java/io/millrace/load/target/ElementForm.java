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

/** How a type of Redis adds an element to a key: with a plain command, or with a script that sets the expiry. */
enum ElementForm {
    /** {@code RPUSH key element}. */
    LIST,
    /** {@code SADD key element}. */
    SET,
    /** {@code ZADD key score element}. */
    SORTED_SET,
    /** {@code SETBIT key element 1}. */
    BITMAP,
    /** {@code JSON.SET key $ element}. Each row has its own key. */
    JSON;

    private static final RowCommand PUSH = plain(Lists.RPUSH, Set.of(Fusion.RPUSH));
    private static final RowCommand PUSH_EXPIRING = scripted(RowScript.adding(calling("'RPUSH',k")));

    private static final RowCommand ADD = plain(Sets.SADD, Set.of(Fusion.SADD));
    private static final RowCommand ADD_EXPIRING = scripted(RowScript.adding(calling("'SADD',k")));

    private static final RowCommand SCORE = plain(SortedSets.ZADD, Set.of(Fusion.ZADD));
    private static final RowCommand SCORE_EXPIRING = scripted(RowScript.adding(calling("'ZADD',k")));

    private static final RowCommand SET_BIT = plain(Bitmaps.SETBIT, Set.of(Fusion.SETBIT));
    private static final RowCommand SET_BIT_EXPIRING = scripted(RowScript.adding("""
            local bits={}
            for i=from,to do
            local at=#bits
            bits[at+1],bits[at+2],bits[at+3],bits[at+4]='SET','u1',ARGV[i],'1'
            end
            local e=redis.pcall('BITFIELD',k,unpack(bits))
            if bad(e) then return fail(e) end
            """));

    private static final RowCommand DOCUMENT = plain(Commands.JSON_SET, Fusion.NONE);
    private static final RowCommand DOCUMENT_EXPIRING = scripted(RowScript.separate(calling("'JSON.SET',k,'$'")));

    private static final byte[] READ_MEMBER = ascii("SISMEMBER");
    private static final byte[] READ_SCORE = ascii("ZSCORE");
    private static final byte[] READ_BIT = ascii("GETBIT");
    private static final byte[] ONE = {'1'};
    private static final byte[] ROOT = {'$'};

    /** The command that adds an element. */
    RowCommand command(boolean expires) {
        return switch (this) {
            case LIST -> expires ? PUSH_EXPIRING : PUSH;
            case SET -> expires ? ADD_EXPIRING : ADD;
            case SORTED_SET -> expires ? SCORE_EXPIRING : SCORE;
            case BITMAP -> expires ? SET_BIT_EXPIRING : SET_BIT;
            case JSON -> expires ? DOCUMENT_EXPIRING : DOCUMENT;
        };
    }

    /** Number of arguments of an element in the script. */
    int arguments() {
        return this == SORTED_SET ? 2 : 1;
    }

    /** Writes the arguments of a plain command between the key and the element. A score is not among them. */
    void beforeElement(ArgumentSink sink) {
        if (this == JSON) {
            sink.arg(ROOT);
        }
    }

    /** Writes the arguments of a plain command after the element. */
    void afterElement(ArgumentSink sink) {
        if (this == BITMAP) {
            sink.arg(ONE);
        }
    }

    /** The name of the command that reads an element back. It has the arguments key and element. */
    byte[] readBack() {
        return switch (this) {
            case SET -> READ_MEMBER;
            case SORTED_SET -> READ_SCORE;
            case BITMAP -> READ_BIT;
            case LIST, JSON -> throw new IllegalStateException("rows cannot be read back: form=" + this);
        };
    }

    /** Whether an element has a separate place within its key. */
    boolean hasPlace() {
        return this != LIST && this != JSON;
    }

    /** The effect of adding an element a second time. */
    Repetition repetition() {
        return this == LIST ? Repetition.ADDS_ROW_AGAIN : Repetition.CHANGES_NOTHING;
    }

    private static RowCommand plain(CommandSpec<?> spec, Set<Fusion> fusion) {
        return new RowCommand.Plain(spec, fusion);
    }

    private static RowCommand scripted(RowScript script) {
        return new RowCommand.Scripted(script);
    }

    /** Statements that call a command with the arguments of the group. {@code words} are the first arguments. */
    private static String calling(String words) {
        return """
                local e=redis.pcall(%s,unpack(ARGV,from,to))
                if bad(e) then return fail(e) end
                """.formatted(words);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
