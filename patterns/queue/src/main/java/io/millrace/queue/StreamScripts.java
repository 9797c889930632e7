// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.command.Script;

/*
 * DESIGN
 *
 * The group stores the owner, idle time and number of deliveries of each pending entry. A live consumer resets the idle
 * time of its pending entries every third of the lease. Other consumers claim entries whose idle time reaches the
 * lease. A returned entry gets an idle time equal to the lease, so the entry is claimed at once. The owner of a
 * returned entry is a consumer name that no process uses. So a consumer that leaves has no pending entry and can be
 * removed.
 *
 * A consumer with a generated name that has no pending entry and was idle for the lease is removed, because its name is
 * never used again. If the consumer was only slow, the server creates the consumer again at its next read.
 *
 * XAUTOCLAIM does not return the number of deliveries, which decides whether an entry is claimed or dead-lettered. So a
 * script finds entries with XPENDING and claims them one by one.
 */

/** The Lua scripts of {@link StreamBackend}. Each script is one atomic step. The first key is the stream. */
final class StreamScripts {

    /** Maximum number of list elements that a script passes as arguments of one call. The limit of Lua is 8,000. */
    private static final int MAX_FIELDS = 7_000;

    /**
     * Copies an entry to the dead letters and acknowledges it. Returns false if the entry does not exist. The script
     * runs XACK first, because XACK frees memory. A server without free memory then allows the later writes.
     */
    private static final String DEAD_LETTER_ENTRY = """
            local function deadLetter(stream, dead, group, id, deliveries, reason)
              redis.call('XLEN', dead) -- if this is not a stream, fails before any write
              local entry = redis.call('XRANGE', stream, id, id)[1]
              redis.call('XACK', stream, group, id)
              if not entry then
                return false
              end
              local fields = entry[2]
              if #fields > %s then
                fields = {'millrace-fields', cmsgpack.pack(fields)}
              end
              for _, more in ipairs({'millrace-id', id, 'millrace-group', group,
                  'millrace-deliveries', tostring(deliveries), 'millrace-reason', reason}) do
                fields[#fields + 1] = more
              end
              redis.call('XADD', dead, '*', unpack(fields))
              return true
            end
            """.formatted(MAX_FIELDS);

    /** Converts a list of names and values to a map. */
    private static final String TO_MAP = """
            local function toMap(list)
              local map = {}
              for i = 1, #list, 2 do
                map[list[i]] = list[i + 1]
              end
              return map
            end
            """;

    /**
     * Creates the stream and the group. Arguments: group, ID after which the group begins. The XACK changes nothing.
     * But if the server has no free memory, it allows the XGROUP only because the script runs the XACK first.
     */
    static final Script OPEN = Script.of("""
            redis.call('XACK', KEYS[1], ARGV[1], '0-0')
            return redis.call('XGROUP', 'CREATE', KEYS[1], ARGV[1], ARGV[2], 'MKSTREAM')
            """);

    /**
     * Claims pending entries. An entry that has reached the maximum number of deliveries is dead-lettered and not
     * claimed. The script also removes each idle consumer that has a generated name and no pending entry.
     *
     * <p>Second key: the stream of dead letters. Arguments: group, consumer, lease in ms, maximum tasks, maximum
     * deliveries, owner, first ID, owner of returned entries. If the argument {@code owner} is not empty, the script
     * claims the entries of this owner. Otherwise the script claims the entries that were idle for the duration of the
     * lease.
     *
     * <p>Returns the claimed entries, the dead-lettered entries, the number of entries that no longer exist, and the ID
     * of the last checked entry.
     */
    static final Script CLAIM = Script.of(DEAD_LETTER_ENTRY + TO_MAP + """
            local stream, dead, group, consumer = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
            local lease, max, maxDeliveries, owner = tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5]), ARGV[6]
            local pending
            if owner == '' then
              pending = redis.call('XPENDING', stream, group, 'IDLE', lease, ARGV[7], '+', max)
            else
              pending = redis.call('XPENDING', stream, group, ARGV[7], '+', max, owner)
            end
            local tasks, aside, vanished, last = {}, {}, 0, ''
            for _, found in ipairs(pending) do
              local id, deliveries = found[1], found[4]
              last = id
              if deliveries >= maxDeliveries then
                if deadLetter(stream, dead, group, id, deliveries,
                    'the task was delivered ' .. deliveries .. ' times, and never acknowledged') then
                  aside[#aside + 1] = id
                  aside[#aside + 1] = deliveries
                else
                  vanished = vanished + 1
                end
              else
                local entry = redis.call('XCLAIM', stream, group, consumer, 0, id)[1]
                if entry then
                  tasks[#tasks + 1] = {id, deliveries + 1, entry[2]}
                else
                  redis.call('XACK', stream, group, id)
                  vanished = vanished + 1
                end
              end
            end
            for _, other in ipairs(redis.call('XINFO', 'CONSUMERS', stream, group)) do
              local info = toMap(other)
              if info.pending == 0 and info.name ~= consumer and string.sub(info.name, 1, 9) == 'millrace-'
                  and (info.idle >= lease or info.name == ARGV[8]) then
                redis.call('XGROUP', 'DELCONSUMER', stream, group, info.name)
              end
            end
            return {tasks, aside, vanished, last}
            """);

    /**
     * Moves a pending entry to the dead letters. Second key: the stream of dead letters. Arguments: group, consumer,
     * entry ID, number of deliveries, reason. Returns 1 if the entry exists and was pending for the consumer, otherwise
     * 0.
     */
    static final Script DEAD_LETTER = Script.of(DEAD_LETTER_ENTRY + """
            if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[3], ARGV[3], 1, ARGV[2]) == 0 then
              return 0
            end
            return deadLetter(KEYS[1], KEYS[2], ARGV[1], ARGV[3], ARGV[4], ARGV[5]) and 1 or 0
            """);

    /**
     * Returns a pending entry to the queue. Arguments: group, consumer, owner of returned entries, id, delivery number,
     * new idle time in ms, new number of deliveries. Returns 1 if this delivery was pending for the consumer, otherwise
     * 0.
     */
    static final Script RETURN = Script.of("""
            local found = redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[4], ARGV[4], 1, ARGV[2])[1]
            if not found or found[4] ~= tonumber(ARGV[5]) then
              return 0
            end
            redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[3], 0, ARGV[4],
                'IDLE', ARGV[6], 'RETRYCOUNT', ARGV[7], 'JUSTID')
            return 1
            """);

    /**
     * Renews the lease of pending entries. Arguments: group, consumer, ids. Does not touch entries that another
     * consumer has claimed.
     */
    static final Script RENEW = Script.of("""
            for i = 3, #ARGV do
              if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[i], ARGV[i], 1, ARGV[2]) > 0 then
                redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[i], 'JUSTID')
              end
            end
            return 1
            """);

    /**
     * Returns the pending entries of a consumer to the queue and removes the consumer. Arguments: group, consumer,
     * owner of returned entries. The returned entries keep their idle time.
     */
    static final Script LEAVE = Script.of("""
            while true do
              local pending = redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 100, ARGV[2])
              if #pending == 0 then
                return redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
              end
              for _, found in ipairs(pending) do
                redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[3], 0, found[1], 'IDLE', found[3], 'JUSTID')
              end
            end
            """);

    /** Returns 1 if the group has neither new entries nor pending entries, otherwise 0. Argument: group. */
    static final Script IS_EMPTY = Script.of(TO_MAP + """
            if redis.call('XPENDING', KEYS[1], ARGV[1])[1] > 0 then
              return 0
            end
            for _, group in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
              local info = toMap(group)
              if info.name == ARGV[1] then
                return #redis.call('XRANGE', KEYS[1], '(' .. info['last-delivered-id'], '+', 'COUNT', 1) == 0 and 1 or 0
              end
            end
            return 1
            """);

    /**
     * Removes the oldest entries, up to the first entry that is not acknowledged in all groups. Removes only whole
     * nodes of the stream. Arguments: minimum number of entries that remain, maximum number of entries to remove.
     * Returns the number of removed entries.
     */
    static final Script TRIM = Script.of(TO_MAP + """
            local stream, surplus = KEYS[1], redis.call('XLEN', KEYS[1]) - ARGV[1]
            local function padded(id)
              local millis, number = string.match(id, '^(%d+)-(%d+)$')
              return string.rep('0', 20 - #millis) .. millis .. string.rep('0', 20 - #number) .. number
            end
            local first
            local function keep(id)
              if not first or padded(id) < padded(first) then
                first = id
              end
            end
            for _, group in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
              local info = toMap(group)
              if info.pending > 0 then
                keep(redis.call('XPENDING', stream, info.name)[2])
              else
                local millis, number = string.match(info['last-delivered-id'], '^(%d+)-(%d+)$')
                keep(millis .. '-' .. string.format('%.0f', number + 1))
              end
            end
            if not first or surplus <= 0 then
              return 0
            end
            return redis.call('XTRIM', stream, 'MINID', '~', first, 'LIMIT', math.min(surplus, tonumber(ARGV[2])))
            """);

    private StreamScripts() {}
}
