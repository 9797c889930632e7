// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

/**
 * Lua scripts that write a hash in several steps, or read back values, expiry and size together.
 *
 * <p>DESIGN. The requirements, on Redis 6.2 and later and on Valkey:
 *
 * <ul>
 * <li>If HSET fails, nothing may change. So HSET is the first command. If the key has another type, or memory or
 * permission is missing, the script ends there, and key and expiry are unchanged.
 * <li>A replacement deletes nothing before HSET has succeeded once. After its first write, a script may exceed the
 * memory limit of the server, so a DEL before HSET would disable the limit. A user with permission for DEL but not for
 * HSET would lose the row. The script deletes the key and writes it again only if fields of an older row remain after
 * HSET, or if the key had another type. Without permission for DEL, the fields stay merged. Without permission for
 * PEXPIRE or PERSIST, the old expiry stays. Such a row is rejected, but the write is not undone.
 * <li>The script returns the error message of the command, without the digest and the line of the script, so that the
 * first word is the error code. Redis 6.2 puts the line before errors of the script engine, such as OOM.
 *   <li>Fields are passed in chunks, because Lua can unpack only about 8,000 values of a table at once.
 * </ul>
 *
 * <p>KEYS[1] is the key. ARGV[1] is the expiry in milliseconds, or 0. From ARGV[2] on, fields and values alternate.
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

    /**
     * Returns PTTL, HLEN, and the values of the fields in ARGV in arrays of up to 1,000; or the error message of a
     * command.
     */
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

    /** The script that writes fields. It returns 1, or the error of the command that failed. */
    static String write(boolean replaces, boolean expires) {
        return PUT + (replaces ? REPLACE : MERGE) + (expires ? EXPIRE : PERSIST) + END;
    }
}
