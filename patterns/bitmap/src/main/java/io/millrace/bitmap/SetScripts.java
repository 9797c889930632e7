// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.command.Script;

/**
 * Lua scripts for compressed sets and Redis sets. The expiry is a time in milliseconds since 1970, or 0 for none. If the
 * span has expired, the scripts change nothing.
 */
final class SetScripts {

    /**
     * Adds ids to a Redis set. Arguments: the expiry, the ids. Returns the number of new ids; a negative number if the
     * span has expired.
     */
    static final Script ADD_MEMBERS = Script.of(SpanExpiry.LUA + """
            local left = lifetime(ARGV[1], KEYS[1])
            if left == 0 then
              return -1
            end
            local added = redis.call('SADD', KEYS[1], unpack(ARGV, 2))
            expire(left, KEYS[1])
            return added
            """);

    /**
     * Adds ids to the recent marks of a compressed set, if the compressed set has the expected stamp. Keys: the
     * compressed set, the recent marks. Arguments: the expected stamp, the expiry, the ids that the compressed set does
     * not contain. An empty stamp means that there is no compressed set. Returns the number of new ids and the number of
     * recent marks; null if the stamp differs. The number of new ids is negative if the span has expired.
     */
    static final Script ADD_RECENT = Script.of(SpanExpiry.LUA + """
            if redis.call('GETRANGE', KEYS[1], 0, 7) ~= ARGV[1] then
              return false
            end
            if #ARGV == 2 then
              return {0, redis.call('SCARD', KEYS[2])}
            end
            local left = lifetime(ARGV[2], KEYS[1], KEYS[2])
            if left == 0 then
              return {-1, 0}
            end
            local added = redis.call('SADD', KEYS[2], unpack(ARGV, 3))
            expire(left, KEYS[2])
            return {added, redis.call('SCARD', KEYS[2])}
            """);

    /**
     * Replaces a compressed set, and removes recent marks, which the new set contains. Keys: the compressed set, the
     * recent marks. Arguments: the expected stamp, the new bytes, the expiry, the recent marks that the new set contains.
     * An empty stamp means that the key must not exist. Returns null, and changes nothing, if the stamp differs or if a
     * recent mark was deleted. Otherwise returns 1 followed by the other recent marks; only 0 if the span has expired.
     */
    static final Script REPLACE = Script.of(SpanExpiry.LUA + """
            if redis.call('GETRANGE', KEYS[1], 0, 7) ~= ARGV[1] then
              return false
            end
            for i = 4, #ARGV do
              if redis.call('SISMEMBER', KEYS[2], ARGV[i]) == 0 then
                return false
              end
            end
            local left = lifetime(ARGV[3], KEYS[1], KEYS[2])
            if left == 0 then
              return {'0'}
            end
            redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
            for i = 4, #ARGV do
              redis.call('SREM', KEYS[2], ARGV[i])
            end
            expire(left, KEYS[1])
            local reply = redis.call('SMEMBERS', KEYS[2])
            table.insert(reply, 1, '1')
            return reply
            """);

    private SetScripts() {}
}
