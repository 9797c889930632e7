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
 * A consumer whose name was made up, and whose last entry was claimed, is removed: nobody will use that name again. If it was only
 * slow the server makes it anew when it reads.
 *
 * XAUTOCLAIM does not say how often an entry was delivered, which decides whether it is claimed or put aside. So entries are looked
 * up by XPENDING and claimed one by one, in one script.
 */

/** What the server does for a {@link StreamStock}, each script in one step. The first key is the stream. */
final class StreamScripts {

    /** Appends an entry to the dead letters, with all that it had, and acknowledges it. */
    private static final String BURY_ENTRY = """
            local function bury(stream, dead, group, id, deliveries, reason)
              local entry = redis.call('XRANGE', stream, id, id)[1]
              if entry then
                local fields = entry[2]
                for _, more in ipairs({'millrace-id', id, 'millrace-group', group,
                    'millrace-deliveries', tostring(deliveries), 'millrace-reason', reason}) do
                  fields[#fields + 1] = more
                end
                redis.call('XADD', dead, '*', unpack(fields))
              end
              redis.call('XACK', stream, group, id)
            end
            """;

    /**
     * Second key: dead. Arguments: group, consumer, lease in ms, most, most deliveries, whose entries, whatever their age, or empty for
     * all as old as the lease, and from where. Answers the entries, those put aside, how many are gone, and the last ID looked at.
     */
    static final ServerScript CLAIM = ServerScript.of(BURY_ENTRY + """
            local stream, dead, group, consumer = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
            local lease, most, maxDeliveries, whose = tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5]), ARGV[6]
            local pending
            if whose == '' then
              pending = redis.call('XPENDING', stream, group, 'IDLE', lease, ARGV[7], '+', most)
            else
              lease = 0
              pending = redis.call('XPENDING', stream, group, ARGV[7], '+', most, whose)
            end
            local tasks, aside, vanished, last, owners = {}, {}, 0, '', {}
            for _, found in ipairs(pending) do
              local id, deliveries = found[1], found[4]
              last = id
              owners[found[2]] = true
              if deliveries >= maxDeliveries then
                bury(stream, dead, group, id, deliveries,
                    'delivered ' .. deliveries .. ' times, and never acknowledged')
                aside[#aside + 1] = id
                aside[#aside + 1] = deliveries
              else
                local entry = redis.call('XCLAIM', stream, group, consumer, lease, id)[1]
                if entry then
                  tasks[#tasks + 1] = {id, deliveries + 1, entry[2]}
                else
                  redis.call('XACK', stream, group, id)
                  vanished = vanished + 1
                end
              end
            end
            for owner in pairs(owners) do
              if owner ~= consumer and string.sub(owner, 1, 9) == 'millrace-'
                  and #redis.call('XPENDING', stream, group, '-', '+', 1, owner) == 0 then
                redis.call('XGROUP', 'DELCONSUMER', stream, group, owner)
              end
            end
            return {tasks, aside, vanished, last}
            """);

    /** Second key: dead. Arguments: group, consumer, id, deliveries, reason. Answers 1 if it was in the consumer's hands. */
    static final ServerScript BURY = ServerScript.of(BURY_ENTRY + """
            if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[3], ARGV[3], 1, ARGV[2]) == 0 then
              return 0
            end
            bury(KEYS[1], KEYS[2], ARGV[1], ARGV[3], ARGV[4], ARGV[5])
            return 1
            """);

    /** Arguments: group, consumer, the one that does not exist, id, age in ms, deliveries. Answers 1 if it was in its hands. */
    static final ServerScript RETURN = ServerScript.of("""
            if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[4], ARGV[4], 1, ARGV[2]) == 0 then
              return 0
            end
            redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[3], 0, ARGV[4], 'IDLE', ARGV[5], 'RETRYCOUNT', ARGV[6], 'JUSTID')
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
    static final ServerScript IS_EMPTY = ServerScript.of("""
            if redis.call('XPENDING', KEYS[1], ARGV[1])[1] > 0 then
              return 0
            end
            for _, group in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
              local facts = {}
              for i = 1, #group, 2 do
                facts[group[i]] = group[i + 1]
              end
              if facts.name == ARGV[1] then
                return #redis.call('XRANGE', KEYS[1], '(' .. facts['last-delivered-id'], '+', 'COUNT', 1) == 0 and 1 or 0
              end
            end
            return 1
            """);

    /** Argument: how many entries stay in any case. Cuts what every group has done, a thousand entries at a time if some are to stay. */
    static final ServerScript TRIM = ServerScript.of("""
            local stream, keep = KEYS[1], tonumber(ARGV[1])
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
              local facts = {}
              for i = 1, #group, 2 do
                facts[group[i]] = group[i + 1]
              end
              if facts.pending > 0 then
                stays(redis.call('XPENDING', stream, facts.name)[2])
              else
                local millis, number = string.match(facts['last-delivered-id'], '^(%d+)-(%d+)$')
                stays(millis .. '-' .. string.format('%.0f', number + 1))
              end
            end
            local surplus = redis.call('XLEN', stream) - keep
            if not first or surplus <= 0 then
              return 0
            end
            if keep > 0 then
              local oldest = redis.call('XRANGE', stream, '-', '+', 'COUNT', math.min(surplus, 1000) + 1)
              stays(oldest[#oldest][1])
            end
            return redis.call('XTRIM', stream, 'MINID', '~', first)
            """);

    private StreamScripts() {}
}
