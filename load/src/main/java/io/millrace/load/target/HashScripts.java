// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import java.nio.charset.StandardCharsets;

/**
 * Lua scripts that write a hash in several steps, or read back values, expiry and size together.
 *
 * <p>DESIGN. The requirements, on Redis 6.2 and later and on Valkey:
 *
 * <ul>
 * <li>If HSET fails, nothing may change. So HSET is the first command that writes. If the key has another type, or
 * memory or permission is missing, the group ends there, and key and expiry are unchanged.
 * <li>A replacement deletes nothing before HSET has succeeded once. After its first write, a script may exceed the
 * memory limit of the server, so a DEL before HSET would disable the limit. A user with permission for DEL but not for
 * HSET would lose the row. The script deletes the key and writes it again only if fields of an older row remain after
 * HSET, or if the key had another type. Without permission for DEL, the fields stay merged. Without permission for
 * PEXPIRE or PERSIST, the old expiry stays. Such a row is rejected, but the write is not undone.
 * <li>Fields are passed in chunks, because Lua can unpack only about 8,000 values of a table at once.
 * </ul>
 */
final class HashScripts {

    private static final String PUT = """
            local function put()
            for i=from,to,1000 do
            local r=redis.pcall('HSET',k,unpack(ARGV,i,math.min(i+999,to)))
            if bad(r) then return r end
            end
            end
            """;

    private static final String PUT_OR_FAIL = PUT + """
            local e=put()
            if e then return fail(e) end
            """;

    /** Adds fields to a hash. */
    static final RowScript MERGE = RowScript.adding(PUT_OR_FAIL);

    /** Writes a hash if the key does not exist. */
    static final RowScript ONLY_MISSING = RowScript.separate("""
            local found=redis.pcall('EXISTS',k)
            if bad(found) then return fail(found) end
            if found==1 then return 0 end
            """ + PUT_OR_FAIL);

    /** Replaces a key of any type. */
    static final RowScript REPLACE = RowScript.replacing(PUT + """
            local e=put()
            if e and e.err:sub(1,9)~='WRONGTYPE' then return fail(e) end
            local size=e and 0 or redis.pcall('HLEN',k)
            if bad(size) then return fail(size) end
            if e or size*2~=to-from+1 then
            e=redis.pcall('DEL',k)
            if bad(e) then return fail(e) end
            e=put()
            if e then return fail(e) end
            end
            """);

    /**
     * Returns PTTL, HLEN, and the values of the fields in ARGV in arrays of up to 1,000; or the error message of a
     * command. KEYS[1] is the key.
     */
    static final byte[] READ_BACK = """
            local n=redis.pcall('HLEN',KEYS[1])
            if type(n)=='table' then return n end
            local r={redis.call('PTTL',KEYS[1]),n}
            for i=1,#ARGV,1000 do
            local v=redis.pcall('HMGET',KEYS[1],unpack(ARGV,i,math.min(i+999,#ARGV)))
            if v.err then return v end
            r[#r+1]=v
            end
            return r
            """.getBytes(StandardCharsets.US_ASCII);

    private HashScripts() {}
}
