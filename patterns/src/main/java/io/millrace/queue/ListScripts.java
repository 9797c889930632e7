// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/*
 * DESIGN
 *
 *                    LPUSH            take                    done
 *     producers -----------> queue ----------> hands of one --------> gone
 *                              ^                 |     |
 *                never begun   |                 |     +-- delivered too often, or not decoded --> dead
 *                +-------------+-----------------+
 *                |                               |
 *                | take                          | failed, stopped, or the consumer died
 *                +------------ again <-----------+
 *
 *     queue       a list of payloads, pushed at the left, taken at the right
 *     hands       for each consumer a hash: of each task its id, and "deliveries payload". So acknowledging is to the task and costs
 *                 the same however many are in hand, where a list would be searched, and of equal payloads take any.
 *                 Its field # is "start number id id ...": whose they are, the last take, and what it gave
 *     again       a sorted set of "id deliveries payload", by the time in ms from when each may be taken
 *     consumers   a sorted set of names, by the time in ms at which each is taken for dead unless it has spoken up
 *     dead        a list of payloads
 *
 * A take is numbered. When its answer was lost it is asked for again by the same number, and gives the same tasks: so nothing
 * stays in hands that do not know of it. One of a lower number comes too late, over a connection that was given up, and gives
 * nothing. So does one of an earlier start of a consumer of the same name: hands are those of the start that opened them.
 *
 * All times are the server's own.
 */

/** What the server does for a {@link ListStock}, each script in one step. */
final class ListScripts {

    private static final String NOW = """
            local time = redis.call('TIME')
            local now = time[1] * 1000 + math.floor(time[2] / 1000)
            """;

    /** The first write takes something away: a server that is full then lets the rest of a script write too. */
    private static final String LIVES = NOW + """
            local function lives(consumers, consumer, lease)
              redis.call('ZREM', consumers, consumer)
              redis.call('ZADD', consumers, now + lease, consumer)
            end
            """;

    private static final String EMPTY = LIVES + """
            local function empty(consumers, consumer, hands, again)
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
     * Keys: queue, again, consumers, hands, dead. Arguments: consumer, lease in ms, number, most, most deliveries, start. The time in an
     * id, in microseconds, is for a take whose number comes a second time, its first tasks having been given to others meanwhile.
     */
    static final ServerScript TAKE = ServerScript.of(LIVES + """
            local queue, again, consumers, hands, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
            local number, most, maxDeliveries, start = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
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
            redis.call('LLEN', dead) -- fails, if it is no list, before anything is done
            lives(consumers, ARGV[1], ARGV[2])
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
            for _, member in ipairs(redis.call('ZRANGEBYSCORE', again, '-inf', now, 'LIMIT', 0, most)) do
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
            if #ids < most then
              local new = redis.call('RPOP', queue, most - #ids)
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
     * Keys: hands, queue, again. Arguments: id, which delivery of it, milliseconds until it may be taken, 1 if it was begun. Answers 1 if
     * that delivery was in hand.
     */
    static final ServerScript RETURN = ServerScript.of(NOW + """
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

    /** Keys: hands, dead. Argument: id. Answers 1 if it was in hand. */
    static final ServerScript BURY = ServerScript.of("""
            local held = redis.call('HGET', KEYS[1], ARGV[1])
            if not held then
              return 0
            end
            redis.call('LLEN', KEYS[2]) -- fails, if it is no list, before anything is done
            redis.call('HDEL', KEYS[1], ARGV[1])
            redis.call('LPUSH', KEYS[2], string.sub(held, string.find(held, ' ', 1, true) + 1))
            return 1
            """);

    /** Key: consumers. Arguments: consumer, lease in ms. */
    static final ServerScript RENEW = ServerScript.of(LIVES + """
            lives(KEYS[1], ARGV[1], ARGV[2])
            return 1
            """);

    /** Key: consumers. Answers those taken for dead, 100 at most. */
    static final ServerScript DEAD = ServerScript.of(NOW + """
            return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 100)
            """);

    /** Keys: consumers, hands, again. Argument: whose hands. Answers 1 if it is dead. */
    static final ServerScript EMPTY_DEAD = ServerScript.of(EMPTY + """
            local lease = redis.call('ZSCORE', KEYS[1], ARGV[1])
            if not lease or tonumber(lease) > now then
              return 0
            end
            empty(KEYS[1], ARGV[1], KEYS[2], KEYS[3])
            return 1
            """);

    /**
     * Keys: consumers, hands, again. Arguments: consumer, lease in ms, start. Empties the hands of a predecessor of the same name; of
     * the same start, when asked for again or executed late, nothing.
     */
    static final ServerScript OPEN = ServerScript.of(EMPTY + """
            local last = redis.call('HGET', KEYS[2], '#')
            if last and string.match(last, '^%S+') == ARGV[3] then
              return 0
            end
            empty(KEYS[1], ARGV[1], KEYS[2], KEYS[3])
            lives(KEYS[1], ARGV[1], ARGV[2])
            redis.call('HSET', KEYS[2], '#', ARGV[3] .. ' 0')
            return 1
            """);

    /** Keys: consumers, hands, again. Arguments: consumer, start. The hands of a successor of the same name stay as they are. */
    static final ServerScript LEAVE = ServerScript.of(EMPTY + """
            local last = redis.call('HGET', KEYS[2], '#')
            if last and string.match(last, '^%S+') ~= ARGV[2] then
              return 0
            end
            empty(KEYS[1], ARGV[1], KEYS[2], KEYS[3])
            return 1
            """);

    /**
     * Keys: queue, again, consumers, and the hands of each consumer. Arguments: the consumers. Answers 1 if there is no task anywhere;
     * 0 also if these are no longer the consumers.
     */
    static final ServerScript IS_EMPTY = ServerScript.of("""
            if redis.call('LLEN', KEYS[1]) + redis.call('ZCARD', KEYS[2]) > 0 or redis.call('ZCARD', KEYS[3]) ~= #ARGV then
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
