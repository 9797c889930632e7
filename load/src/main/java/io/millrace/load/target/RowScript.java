// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.command.ArgumentSink;
import io.millrace.client.command.Script;
import java.nio.charset.StandardCharsets;

/**
 * A Lua script that writes rows and sets the expiry of their keys. It has the form of {@link
 * io.millrace.client.command.Fusion#SCRIPT}, so that the client can fuse the scripts of adjacent rows.
 *
 * <p>DESIGN. A key that a load creates must never be without its expiry, however the load ends, and a key of another
 * type must never get an expiry. So each script writes first, and sets the expiry in the same step if the write has
 * succeeded. The expiry costs little, because adjacent rows share a script:
 *
 * <pre>
 *   EVALSHA sha1 2 h:1 h:2  3600000 4 f v g w  3600000 2 f v
 *                           expiry  fields     expiry  fields
 * </pre>
 *
 * <p>The expiry is in milliseconds; 0 means none. Rows that only add to their key share a group if the key is the same.
 * Rows of a <em>separate</em> script depend on the number of rows in a group, so that each row has its own group.
 *
 * <p>The script catches each error of a command and continues with the next group. It returns 1 for a written group, 0 for
 * a group that was left out, and the error message of the server for a refused group, without the digest and the line of
 * the script. So the first word of the message is the error code. Redis 6.2 puts the line before errors of the script
 * engine, such as OOM.
 */
final class RowScript {

    private static final byte[] ONE_KEY = {'1'};

    private static final String BEGIN = """
            local function fail(e)
            e.err=e.err:gsub('^@user_script: %d+: %-?',''):gsub('%s+$','')
            return e
            end
            local function bad(r) return type(r)=='table' and r.err end
            """;

    private static final String WRITE = """
            local function write(k,ttl,from,to)
            """;

    /** Sets the expiry. A row without an expiry leaves the expiry of the key unchanged. */
    private static final String EXPIRE = """
            if ttl~='0' then
            local x=redis.pcall('PEXPIRE',k,ttl)
            if bad(x) then return fail(x) end
            end
            """;

    /** Sets the expiry. A row without an expiry removes the expiry of the key. */
    private static final String EXPIRE_OR_PERSIST = """
            local x=ttl=='0' and redis.pcall('PERSIST',k) or ttl~='0' and redis.pcall('PEXPIRE',k,ttl)
            if bad(x) then return fail(x) end
            """;

    private static final String END = """
            return 1
            end
            local replies,at={},1
            for i=1,#KEYS do
            local count=math.abs(ARGV[at+1])
            replies[i]=write(KEYS[i],ARGV[at],at+2,at+1+count)
            at=at+2+count
            end
            if #KEYS==1 then return replies[1] end
            return replies
            """;

    private final byte[] body;
    private final byte[] digest;
    private final boolean separate;

    private RowScript(String text, boolean separate) {
        Script script = Script.of(text);
        this.body = text.getBytes(StandardCharsets.US_ASCII);
        this.digest = script.sha1().getBytes(StandardCharsets.US_ASCII);
        this.separate = separate;
    }

    /**
     * A script for rows that add to their key, and may share a group.
     *
     * @param statements Lua statements that write a group: its key is {@code k}, and its arguments are {@code
     *     ARGV[from]} to {@code ARGV[to]}. They use {@code redis.pcall} only, and return {@code fail(error)} for an
     *     error, which {@code bad} recognizes
     */
    static RowScript adding(String statements) {
        return new RowScript(BEGIN + WRITE + statements + EXPIRE + END, false);
    }

    /** A script whose rows have a group each. */
    static RowScript separate(String statements) {
        return new RowScript(BEGIN + WRITE + statements + EXPIRE + END, true);
    }

    /** A script whose rows have a group each, and replace their key with its expiry. */
    static RowScript replacing(String statements) {
        return new RowScript(BEGIN + WRITE + statements + EXPIRE_OR_PERSIST + END, true);
    }

    /**
     * Writes the first arguments of the command. The arguments of the row follow.
     *
     * @param repeated whether to send the digest instead of the script
     * @param expiryMillis expiry of the key; 0 for none
     * @param arguments number of arguments of the row
     */
    void begin(ArgumentSink sink, boolean repeated, byte[] key, int keyLength, long expiryMillis, int arguments) {
        sink.arg(repeated ? digest : body)
                .arg(ONE_KEY)
                .arg(key, 0, keyLength)
                .arg(expiryMillis)
                .arg(separate ? -arguments : arguments);
    }
}
