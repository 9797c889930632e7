// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.command.Script;

/*
 * DESIGN
 *
 *                    LPUSH            take                    done
 *     producers -----------> queue ----------> hands of a  ---------> removed
 *                              ^               consumer
 *                not started   |                 |     |
 *                +-------------+-----------------+     +-- max deliveries, or not decoded --> dead
 *                |                               |
 *                | take                          | failed, cancelled, or the lease of the consumer expired
 *                +------------ again <-----------+
 *
 *     queue       a list of payloads, pushed at the left, taken at the right
 *     hands       for each consumer a hash of its pending tasks: id -> "deliveries payload". An acknowledgement names
 *                 the task by its id, and its cost does not depend on the number of pending tasks. With a list
 *                 in place of a hash, the server would search the list for the task, and could not distinguish equal
 *                 payloads. The field # is "start number id id ...": an id of the start of the consumer, and the
 *                 number and the task ids of the last take
 *     again       a sorted set of "id deliveries payload". The score is the time in ms from which the task can be taken
 *     consumers   a sorted set of consumer names. The score is the time in ms at which the lease expires
 *     dead        a list of payloads
 *
 * Takes are numbered. If the reply of a take is lost, the consumer repeats the take with the same number and gets the
 * same tasks. So no task stays pending for a consumer that never received the task. A take with a lower number arrived
 * late, from an abandoned connection, and returns no tasks. A take of an earlier start of a consumer with the same name
 * also returns no tasks, because a hands hash belongs to the start that opened the hash.
 *
 * All times are read from the clock of the server.
 */

/**
 * The Lua scripts of {@link ListBackend}. Each script is one atomic step. In the comments of the scripts, the names of
 * keys have the meaning that the design comment above defines.
 */
final class ListScripts {

    private static final String NOW = """
            local time = redis.call('TIME')
            local now = time[1] * 1000 + math.floor(time[2] / 1000)
            """;

    /**
     * Renews a lease. The ZREM frees memory. A server without free memory then allows the later writes of the script.
     */
    private static final String RENEW_LEASE = NOW + """
            local function renew(consumers, consumer, lease)
              redis.call('ZREM', consumers, consumer)
              redis.call('ZADD', consumers, now + lease, consumer)
            end
            """;

    private static final String RELEASE_TASKS = RENEW_LEASE + """
            local function release(consumers, consumer, hands, again)
              redis.call('ZREM', consumers, consumer)
              local held = redis.call('HGETALL', hands)
              for i = 1, #held, 2 do
                if held[i] ~= '#' then
                  redis.call('ZADD', again, now, held[i] .. ' ' .. held[i + 1])
                end
              end
              redis.call('DEL', hands)
            end
            """;

    /**
     * Takes tasks for a consumer. Keys: queue, again, consumers, hands, dead. Arguments: consumer, lease in ms, take
     * number, maximum tasks, maximum deliveries, id of the start. A task id contains the take number and the time in
     * microseconds. The take number alone is not unique: a repeated take has the same number, but takes other tasks if
     * the tasks of the first take have been delivered to other consumers.
     */
    static final Script TAKE = Script.of(RENEW_LEASE + """
            local queue, again, consumers, hands, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
            local number, max, maxDeliveries, start = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
            local tasks, aside, ids = {}, {}, {}
            local last = redis.call('HGET', hands, '#')
            local lastStart, lastNumber = start, 0
            if last then
              lastStart, lastNumber = string.match(last, '^(%S+) (%d+)')
              lastNumber = tonumber(lastNumber)
            end
            if start ~= lastStart or number < lastNumber then
              return {tasks, aside}
            end
            redis.call('LLEN', dead) -- if this is not a list, fails before any write
            renew(consumers, ARGV[1], ARGV[2])
            if number == lastNumber then
              for id in string.gmatch(string.match(last, '^%S+ %d+(.*)'), ' (%S+)') do
                local held = redis.call('HGET', hands, id)
                if held then
                  tasks[#tasks + 1] = id
                  tasks[#tasks + 1] = held
                end
              end
              return {tasks, aside}
            end
            local function hold(id, deliveries, payload)
              local held = deliveries .. ' ' .. payload
              redis.call('HSET', hands, id, held)
              ids[#ids + 1] = id
              tasks[#tasks + 1] = id
              tasks[#tasks + 1] = held
            end
            for _, member in ipairs(redis.call('ZRANGEBYSCORE', again, '-inf', now, 'LIMIT', 0, max)) do
              redis.call('ZREM', again, member)
              local first = string.find(member, ' ', 1, true)
              local second = string.find(member, ' ', first + 1, true)
              local id = string.sub(member, 1, first - 1)
              local deliveries = tonumber(string.sub(member, first + 1, second - 1))
              local payload = string.sub(member, second + 1)
              if deliveries >= maxDeliveries then
                redis.call('LPUSH', dead, payload)
                aside[#aside + 1] = id
                aside[#aside + 1] = deliveries
              else
                hold(id, deliveries + 1, payload)
              end
            end
            if #ids < max then
              local new = redis.call('RPOP', queue, max - #ids)
              if new then
                for i, payload in ipairs(new) do
                  hold(string.format('%s:%010d-%s%06d-%05d', start, number, time[1], time[2], i), 1, payload)
                end
              end
            end
            redis.call('HSET', hands, '#', start .. ' ' .. number .. ' ' .. table.concat(ids, ' '))
            return {tasks, aside}
            """);

    /**
     * Returns a pending task to the queue. Keys: hands, queue, again. Arguments: task id, delivery number, milliseconds
     * until the task can be taken again, and a flag. The flag is 1 if the task was started, otherwise 0. Returns 1 if
     * this delivery was pending, otherwise 0.
     */
    static final Script RETURN = Script.of(NOW + """
            local held = redis.call('HGET', KEYS[1], ARGV[1])
            if not held or string.match(held, '^%d+') ~= ARGV[2] then
              return 0
            end
            redis.call('HDEL', KEYS[1], ARGV[1])
            local space = string.find(held, ' ', 1, true)
            local deliveries = tonumber(string.sub(held, 1, space - 1))
            local payload = string.sub(held, space + 1)
            if ARGV[4] == '0' then
              deliveries = deliveries - 1
            end
            if deliveries == 0 then
              redis.call('RPUSH', KEYS[2], payload)
            else
              redis.call('ZADD', KEYS[3], now + ARGV[3], ARGV[1] .. ' ' .. deliveries .. ' ' .. payload)
            end
            return 1
            """);

    /** Moves a pending task to the dead letters. Keys: hands, dead. Argument: id. Returns 1 if the task was pending. */
    static final Script DEAD_LETTER = Script.of("""
            local held = redis.call('HGET', KEYS[1], ARGV[1])
            if not held then
              return 0
            end
            redis.call('LLEN', KEYS[2]) -- if this is not a list, fails before any write
            redis.call('HDEL', KEYS[1], ARGV[1])
            redis.call('LPUSH', KEYS[2], string.sub(held, string.find(held, ' ', 1, true) + 1))
            return 1
            """);

    /** Renews the lease of a consumer. Key: consumers. Arguments: consumer, lease in ms. */
    static final Script RENEW = Script.of(RENEW_LEASE + """
            renew(KEYS[1], ARGV[1], ARGV[2])
            return 1
            """);

    /** Returns the names of up to 100 consumers whose lease has expired. Key: consumers. */
    static final Script EXPIRED_CONSUMERS = Script.of(NOW + """
            return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 100)
            """);

    /**
     * Returns the pending tasks of a consumer to the queue if the lease of the consumer has expired. Keys: consumers,
     * hands, again. Argument: the consumer. Returns 1 if the lease has expired.
     */
    static final Script RELEASE_EXPIRED = Script.of(RELEASE_TASKS + """
            local lease = redis.call('ZSCORE', KEYS[1], ARGV[1])
            if not lease or tonumber(lease) > now then
              return 0
            end
            release(KEYS[1], ARGV[1], KEYS[2], KEYS[3])
            return 1
            """);

    /**
     * Registers the start of a consumer. If an earlier consumer with the same name left pending tasks, the script
     * returns these tasks to the queue. If this start is already registered, the script does nothing. Keys: consumers,
     * hands, again. Arguments: consumer, lease in ms, id of the start.
     */
    static final Script OPEN = Script.of(RELEASE_TASKS + """
            local last = redis.call('HGET', KEYS[2], '#')
            if last and string.match(last, '^%S+') == ARGV[3] then
              return 0
            end
            release(KEYS[1], ARGV[1], KEYS[2], KEYS[3])
            renew(KEYS[1], ARGV[1], ARGV[2])
            redis.call('HSET', KEYS[2], '#', ARGV[3] .. ' 0')
            return 1
            """);

    /**
     * Returns the pending tasks of a consumer to the queue and removes the consumer. Keys: consumers, hands, again.
     * Arguments: consumer, id of the start. If a later consumer with the same name has started, the script does
     * nothing.
     */
    static final Script LEAVE = Script.of(RELEASE_TASKS + """
            local last = redis.call('HGET', KEYS[2], '#')
            if last and string.match(last, '^%S+') ~= ARGV[2] then
              return 0
            end
            release(KEYS[1], ARGV[1], KEYS[2], KEYS[3])
            return 1
            """);

    /**
     * Returns 1 if the queue has no task and no consumer has a pending task, otherwise 0. Keys: queue, again,
     * consumers, and the hands of each consumer. Arguments: the names of the consumers, as the caller knows them. Also
     * returns 0 if these names are not the names of the current consumers.
     */
    static final Script IS_EMPTY = Script.of("""
            if redis.call('LLEN', KEYS[1]) + redis.call('ZCARD', KEYS[2]) > 0
                or redis.call('ZCARD', KEYS[3]) ~= #ARGV then
              return 0
            end
            for i, consumer in ipairs(ARGV) do
              local hands = KEYS[3 + i]
              if not redis.call('ZSCORE', KEYS[3], consumer)
                  or redis.call('HLEN', hands) > redis.call('HEXISTS', hands, '#') then
                return 0
              end
            end
            return 1
            """);

    private ListScripts() {}
}
