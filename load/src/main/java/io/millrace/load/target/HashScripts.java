// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

/**
 * The scripts that write a hash in more than one step, or read it back with all there is to compare.
 *
 * <p>DESIGN. What must hold, on Redis 6.2 as on later ones and on Valkey:
 *
 * <ul>
 *   <li>Nothing may be changed if HSET fails. So HSET comes first, and it alone decides: on a key of another type, or without
 *       memory, or without permission, the script ends there, and key and expiry are as they were.
 *   <li>Also when the key is replaced, nothing is deleted before HSET has succeeded once. A script may use more memory than
 *       the server's limit from its first write on, so that a DEL in front would switch the limit off; and a user who may
 *       DEL but not HSET would lose the row. Only if fields of an older row are left after HSET, or the key was of
 *       another type, is it deleted and written again. A user who may not DEL is then left with merged fields, and one who
 *       may not PEXPIRE or PERSIST with the expiry as it was: such a row is rejected, but not undone.
 *   <li>The error is handed on in the command's own words, without the script's digest and line, so that its first
 *       word is the code. Redis 6.2 puts the line in front of the errors of its script engine, such as OOM.
 *   <li>Fields are passed on in chunks, since Lua takes no more than some 8,000 values off a table at once.
 * </ul>
 *
 * <p>KEYS[1] is the key; ARGV[1] the expiry in milliseconds, or 0; from ARGV[2] on fields and values in turn.
 */
final class HashScripts {

    private static final String PUT = """
            local function put()
            for i=2,#ARGV,1000 do
            local r=redis.pcall('HSET',KEYS[1],unpack(ARGV,i,math.min(i+999,#ARGV)))
            if type(r)=='table' then return r end
            end
            end
            local function fail(e)
            e.err=e.err:gsub('^@user_script: %d+: %-?',''):gsub('%s+$','')
            return e
            end
            local e=put()
            """;

    private static final String MERGE = """
            if e then return fail(e) end
            """;

    private static final String REPLACE = """
            if e and e.err:sub(1,9)~='WRONGTYPE' then return fail(e) end
            if e or redis.call('HLEN',KEYS[1])*2~=#ARGV-1 then
            e=redis.pcall('DEL',KEYS[1])
            if type(e)=='table' then return fail(e) end
            e=put()
            if e then return fail(e) end
            end
            """;

    private static final String EXPIRE = """
            e=redis.pcall('PEXPIRE',KEYS[1],ARGV[1])
            """;

    private static final String PERSIST = """
            e=redis.pcall('PERSIST',KEYS[1])
            """;

    private static final String END = """
            if type(e)=='table' then return fail(e) end
            return 1
            """;

    /** Answers PTTL, HLEN, and the values of the fields in ARGV as arrays of up to 1,000; or an error in its own words. */
    static final String READ_BACK = """
            local n=redis.pcall('HLEN',KEYS[1])
            if type(n)=='table' then return n end
            local r={redis.call('PTTL',KEYS[1]),n}
            for i=1,#ARGV,1000 do
            local v=redis.pcall('HMGET',KEYS[1],unpack(ARGV,i,math.min(i+999,#ARGV)))
            if v.err then return v end
            r[#r+1]=v
            end
            return r
            """;

    private HashScripts() {}

    /** The script that writes fields; answers 1, or the error of the command that failed. */
    static String write(boolean replaces, boolean expires) {
        return PUT + (replaces ? REPLACE : MERGE) + (expires ? EXPIRE : PERSIST) + END;
    }
}
