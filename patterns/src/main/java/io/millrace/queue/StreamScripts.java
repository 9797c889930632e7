// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/*
 * DESIGN
 *
 * The group keeps who has which entry in hand, since when, and how often it was delivered. A consumer that lives resets that time
 * for each entry in its hands, every third of the lease; an entry that nobody has spoken up for is claimed by others. What is given
 * back is made to look as old as the lease, under the name of a consumer that does not exist: so it is claimed at once, and a
 * consumer that leaves has nothing left and can be removed.
 *
 * A consumer whose name was made up, which has no entry left and was silent for the lease, is removed: nobody will use that name
 * again. If it was only slow the server makes it anew when it reads.
 *
 * XAUTOCLAIM does not say how often an entry was delivered, which decides whether it is claimed or put aside. So entries are looked
 * up by XPENDING and claimed one by one, in one script.
 */

/** What the server does for a {@link StreamStock}, each script in one step. The first key is the stream. */
final class StreamScripts {

    /** The most elements of a list that are handed on as arguments; Lua can do no more than 8,000. */
    private static final int MOST_FIELDS = 7_000;

    /**
     * Appends an entry to the dead letters, with all that it had, and acknowledges it; false if it is gone. To acknowledge comes first
     * because it takes something away: a server that is full then lets the rest be written.
     */
    private static final String BURY_ENTRY = """
            local function bury(stream, dead, group, id, deliveries, reason)
              redis.call('XLEN', dead) -- fails, if it is no stream, before anything is done
              local entry = redis.call('XRANGE', stream, id, id)[1]
              redis.call('XACK', stream, group, id)
              if not entry then
                return false
              end
              local fields = entry[2]
              if #fields > %d then
                fields = {'millrace-fields', cmsgpack.pack(fields)}
              end
              for _, more in ipairs({'millrace-id', id, 'millrace-group', group,
                  'millrace-deliveries', tostring(deliveries), 'millrace-reason', reason}) do
                fields[#fields + 1] = more
              end
              redis.call('XADD', dead, '*', unpack(fields))
              return true
            end
            """.formatted(MOST_FIELDS);

    /** Makes a map of a list of names and values. */
    private static final String FACTS = """
            local function facts(list)
              local map = {}
              for i = 1, #list, 2 do
                map[list[i]] = list[i + 1]
              end
              return map
            end
            """;

    /** Arguments: group, from where. The first command takes nothing away, but as if it did a full server lets the next one write. */
    static final ServerScript OPEN = ServerScript.of("""
            redis.call('XACK', KEYS[1], ARGV[1], '0-0')
            return redis.call('XGROUP', 'CREATE', KEYS[1], ARGV[1], ARGV[2], 'MKSTREAM')
            """);

    /**
     * Second key: dead. Arguments: group, consumer, lease in ms, most, most deliveries, whose entries, whatever their age, or empty for
     * all as old as the lease, from where, and the consumer that does not exist. Answers the entries, those put aside, how many are
     * gone, and the last ID looked at. Consumers of made-up names that are dead and have nothing left are removed.
     */
    static final ServerScript CLAIM = ServerScript.of(BURY_ENTRY + FACTS + """
            local stream, dead, group, consumer = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
            local lease, most, maxDeliveries, whose = tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5]), ARGV[6]
            local pending
            if whose == '' then
              pending = redis.call('XPENDING', stream, group, 'IDLE', lease, ARGV[7], '+', most)
            else
              pending = redis.call('XPENDING', stream, group, ARGV[7], '+', most, whose)
            end
            local tasks, aside, vanished, last = {}, {}, 0, ''
            for _, found in ipairs(pending) do
              local id, deliveries = found[1], found[4]
              last = id
              if deliveries >= maxDeliveries then
                if bury(stream, dead, group, id, deliveries,
                    'delivered ' .. deliveries .. ' times, and never acknowledged') then
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
              local of = facts(other)
              if of.pending == 0 and of.name ~= consumer and string.sub(of.name, 1, 9) == 'millrace-'
                  and (of.idle >= lease or of.name == ARGV[8]) then
                redis.call('XGROUP', 'DELCONSUMER', stream, group, of.name)
              end
            end
            return {tasks, aside, vanished, last}
            """);

    /** Second key: dead. Arguments: group, consumer, id, deliveries, reason. Answers 1 if it was in the consumer's hands, and is there. */
    static final ServerScript BURY = ServerScript.of(BURY_ENTRY + """
            if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[3], ARGV[3], 1, ARGV[2]) == 0 then
              return 0
            end
            return bury(KEYS[1], KEYS[2], ARGV[1], ARGV[3], ARGV[4], ARGV[5]) and 1 or 0
            """);

    /**
     * Arguments: group, consumer, the one that does not exist, id, which delivery of it, age in ms, as how many deliveries it counts from
     * now on. Answers 1 if that delivery was in the consumer's hands.
     */
    static final ServerScript RETURN = ServerScript.of("""
            local found = redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[4], ARGV[4], 1, ARGV[2])[1]
            if not found or found[4] ~= tonumber(ARGV[5]) then
              return 0
            end
            redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[3], 0, ARGV[4], 'IDLE', ARGV[6], 'RETRYCOUNT', ARGV[7], 'JUSTID')
            return 1
            """);

    /** Arguments: group, consumer, and ids; those that are another's by now stay so. */
    static final ServerScript RENEW = ServerScript.of("""
            for i = 3, #ARGV do
              if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[i], ARGV[i], 1, ARGV[2]) > 0 then
                redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[i], 'JUSTID')
              end
            end
            return 1
            """);

    /** Arguments: group, consumer, the one that does not exist. What is left in its hands keeps its age. */
    static final ServerScript LEAVE = ServerScript.of("""
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

    /** Argument: group. Answers 1 if it has nothing new and nothing in anybody's hands. */
    static final ServerScript IS_EMPTY = ServerScript.of(FACTS + """
            if redis.call('XPENDING', KEYS[1], ARGV[1])[1] > 0 then
              return 0
            end
            for _, group in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
              local of = facts(group)
              if of.name == ARGV[1] then
                return #redis.call('XRANGE', KEYS[1], '(' .. of['last-delivered-id'], '+', 'COUNT', 1) == 0 and 1 or 0
              end
            end
            return 1
            """);

    /**
     * Arguments: how many entries stay in any case, how many are cut at most. Cuts what every group has done, in whole nodes of the
     * stream, as the server keeps them; answers how many that were.
     */
    static final ServerScript TRIM = ServerScript.of(FACTS + """
            local stream, surplus = KEYS[1], redis.call('XLEN', KEYS[1]) - ARGV[1]
            local function padded(id)
              local millis, number = string.match(id, '^(%d+)-(%d+)$')
              return string.rep('0', 20 - #millis) .. millis .. string.rep('0', 20 - #number) .. number
            end
            local first
            local function stays(id)
              if not first or padded(id) < padded(first) then
                first = id
              end
            end
            for _, group in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
              local of = facts(group)
              if of.pending > 0 then
                stays(redis.call('XPENDING', stream, of.name)[2])
              else
                local millis, number = string.match(of['last-delivered-id'], '^(%d+)-(%d+)$')
                stays(millis .. '-' .. string.format('%.0f', number + 1))
              end
            end
            if not first or surplus <= 0 then
              return 0
            end
            return redis.call('XTRIM', stream, 'MINID', '~', first, 'LIMIT', math.min(surplus, tonumber(ARGV[2])))
            """);

    private StreamScripts() {}
}
