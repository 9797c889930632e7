// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.command.Script;

/*
 * DESIGN
 *
 * The group stores the owner, idle time and number of deliveries of each pending entry. A live worker resets the idle
 * time of its pending entries every third of the lease. Other workers claim entries whose idle time reaches the lease.
 *
 * Free entries belong to a consumer name that no process uses: entries that were returned, and entries that failed. A
 * returned entry gets an idle time equal to the lease, so the entry is claimed at once. A failed entry gets the idle
 * time that reaches the lease after the backoff, at the earliest 0, and is claimed when it is also due. So a worker that
 * leaves has no pending entry and can be removed.
 *
 * A hash has "<failed attempts> <due ms>" for each entry that has failed. The other deliveries of an entry without an
 * owner that lives are deaths: the worker died, or was silent for the lease, or the job ignored its interrupt. An entry
 * with a death is a suspect: it may have killed its worker. A worker claims at most one suspect at a time. So when the
 * guilty entry kills its next worker, the other suspects are not counted again.
 *
 * Many entries may wait for their backoff. So a claim looks at a limited number of entries, and the next claim of the
 * worker continues where the last one has ended.
 *
 * A worker reads only entries that it can begin at once, because the server counts the delivery.
 *
 * The name of a worker belongs to the process whose token is in the lease key of the name. The key expires after the
 * lease, unless the worker renews it.
 *
 * A consumer with a generated name that has no pending entry and was idle for the lease is removed, because its name
 * is never used again. If the worker was only slow, the server creates the consumer again at its next read.
 *
 * XAUTOCLAIM does not return the number of deliveries, which decides whether an entry is claimed or dead-lettered. So
 * a script finds entries with XPENDING and claims them one by one.
 */

/** The Lua scripts of {@link StreamBackend}. Each script is one atomic step. The first key is the stream. */
final class StreamScripts {

    /** Name of the consumer that owns free entries. No process uses this name. */
    static final String FREE = "millrace-returned";

    /** Maximum number of entries that one claim looks at. */
    private static final int CLAIM_SCAN = 1_000;

    /** Maximum number of list elements that a script passes as arguments of one call. The limit of Lua is 8,000. */
    private static final int MAX_FIELDS = 7_000;

    /**
     * Copies an entry to the dead letters and acknowledges it. Returns the fields, or nil if the entry does not exist, and
     * the number of dead letters that were dropped. The script runs XACK first, because XACK frees memory. A server without
     * free memory then allows the later writes.
     */
    private static final String DEAD_LETTER_ENTRY = """
            local function deadLetter(stream, dead, failed, counts, maxDead, group, id, deliveries, reason)
              redis.call('XLEN', dead) -- if this is not a stream, fails before any write
              local entry = redis.call('XRANGE', stream, id, id)[1]
              redis.call('XACK', stream, group, id)
              redis.call('HDEL', failed, id)
              if not entry then
                return nil, 0
              end
              local fields = {}
              if #entry[2] > %s then
                fields = {'millrace-fields', cmsgpack.pack(entry[2])}
              else
                for i, field in ipairs(entry[2]) do
                  fields[i] = field
                end
              end
              for _, more in ipairs({'millrace-id', id, 'millrace-group', group,
                  'millrace-deliveries', tostring(deliveries), 'millrace-reason', reason}) do
                fields[#fields + 1] = more
              end
              local dropped = 1
              if maxDead ~= '0' then
                redis.call('XADD', dead, '*', unpack(fields))
                dropped = redis.call('XTRIM', dead, 'MAXLEN', '~', maxDead)
              end
              if dropped > 0 then
                redis.call('HINCRBY', counts, 'dropped', dropped)
              end
              return entry[2], dropped
            end
            """.formatted(MAX_FIELDS);

    /** Reads a value of the hash of failures: returns the number of failed attempts and the due time, 0 if there is none. */
    private static final String FAILURES = """
            local function readFailures(value)
              local failures, due = string.match(value or '0 0', '^(%d+) ?(%d*)$')
              return tonumber(failures), tonumber(due) or 0
            end
            """;

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
     * Claims pending entries that were idle for the duration of the lease. An entry that has reached the maximum number
     * of deaths is dead-lettered and not claimed. The script also removes each idle consumer that has a generated name and
     * no pending entry.
     *
     * <p>Second to fourth key: the stream of dead letters, the hash of failures, the hash of counters. Arguments: group,
     * consumer, lease in ms, maximum number of entries, maximum number of suspects among them, maximum deaths, maximum
     * number of dead letters, owner of free entries, 0 if the script must not claim entries of other consumers, ID from
     * which the script looks at entries, IDs of the entries that the worker holds. The script claims no entry that the
     * worker holds: after a pause of the process, the lease of such an entry may have ended before its renewal.
     *
     * <p>Returns the claimed entries, the dead-lettered entries, the number of entries that no longer exist, 1 if entries
     * remain, the number of dropped dead letters, and the ID from which the next claim should look, {@code -} for the
     * beginning.
     */
    static final Script CLAIM =
            Script.of(JobLua.NOW + DEAD_LETTER_ENTRY + FAILURES + TO_MAP + """
            local stream, dead, failed, group, consumer = KEYS[1], KEYS[2], KEYS[3], ARGV[1], ARGV[2]
            local lease, max, maxSuspects = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
            local maxDeaths, maxDead = tonumber(ARGV[6]), ARGV[7]
            local jobs, buried, vanished, suspects, left, dropped = {}, {}, 0, 0, 0, 0
            local held = {}
            for i = 11, #ARGV do
              held[ARGV[i]] = true
            end
            local pending = redis.call('XPENDING', stream, group, 'IDLE', lease, ARGV[10], '+', %1$d)
            local next = #pending == %1$d and '(' .. pending[#pending][1] or '-'
            local ids = {}
            for i, found in ipairs(pending) do
              ids[i] = found[1]
            end
            local values = #ids > 0 and redis.call('HMGET', failed, unpack(ids)) or {}
            for i, found in ipairs(pending) do
              local id, owner, deliveries = found[1], found[2], found[4]
              local failures, due = readFailures(values[i])
              local deaths = math.max(deliveries - failures, 0)
              if #jobs >= max then
                next, left = id, 1
                break
              elseif owner == consumer and held[id] then
                -- the worker works on the entry
              elseif ARGV[9] == '0' and owner ~= consumer and owner ~= ARGV[8] then
                -- the owner may live: after an outage, it needs time to renew
              elseif owner == ARGV[8] and due > now then
                -- the entry waits for its backoff
              elseif deaths >= maxDeaths then
                local fields, lost = deadLetter(stream, dead, failed, KEYS[4], maxDead, group, id, deliveries,
                    'the worker died ' .. deaths .. ' times while this job ran')
                dropped = dropped + lost
                if fields then
                  buried[#buried + 1] = {id, deliveries, fields, failures, deaths}
                else
                  vanished = vanished + 1
                end
              elseif deaths > 0 and suspects >= maxSuspects then
                left = 1
              else
                local entry = redis.call('XCLAIM', stream, group, consumer, 0, id)[1]
                if entry then
                  jobs[#jobs + 1] = {id, deliveries + 1, entry[2], failures, deaths}
                  suspects = suspects + (deaths > 0 and 1 or 0)
                else
                  redis.call('XACK', stream, group, id)
                  redis.call('HDEL', failed, id)
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
            return {jobs, buried, vanished, left, dropped, next}
            """.formatted(CLAIM_SCAN));

    /**
     * Registers a worker under a name, or renews its lease. Key: the lease key. Arguments: token of the worker, lease in
     * ms. Returns 0, or the remaining lease of another worker that uses the name. The DEL frees memory, so a server
     * without free memory allows the SET.
     */
    static final Script LEASE = Script.of("""
            local owner = redis.call('GET', KEYS[1])
            if owner and owner ~= ARGV[1] then
              return math.max(redis.call('PTTL', KEYS[1]), 1)
            end
            redis.call('DEL', KEYS[1])
            redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
            return 0
            """);

    /** Ends the lease of a worker. Key: the lease key. Argument: token of the worker. */
    static final Script END_LEASE = Script.of("""
            if redis.call('GET', KEYS[1]) == ARGV[1] then
              redis.call('DEL', KEYS[1])
            end
            return 1
            """);

    /**
     * Moves a pending entry to the dead letters. Second to fourth key: the stream of dead letters, the hash of failures,
     * the hash of counters. Arguments: group, consumer, entry ID, number of deliveries, reason, maximum number of dead
     * letters. Returns 0 if the entry does not exist or was not pending for the consumer, otherwise 1 and the number of
     * dropped dead letters.
     */
    static final Script DEAD_LETTER = Script.of(DEAD_LETTER_ENTRY + """
            if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[3], ARGV[3], 1, ARGV[2]) == 0 then
              return 0
            end
            local fields, dropped =
                deadLetter(KEYS[1], KEYS[2], KEYS[3], KEYS[4], ARGV[6], ARGV[1], ARGV[3], ARGV[4], ARGV[5])
            return fields and 1 + dropped or 0
            """);

    /**
     * Acknowledges an entry that may have failed before. Second key: the hash of failures. Arguments: group, entry ID.
     * Returns 1 if the entry was pending, otherwise 0.
     */
    static final Script DONE_REPEATED = Script.of("""
            local done = redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
            redis.call('HDEL', KEYS[2], ARGV[2])
            return done
            """);

    /**
     * Frees the entry of a failed attempt, which is claimed after the backoff. Second key: the hash of failures. Arguments:
     * group, consumer, owner of free entries, id, delivery number, lease in ms, backoff in ms, number of failures to add: 0
     * if the attempt counts as a death. Returns 1 if this delivery was pending for the consumer, otherwise 0.
     */
    static final Script FAIL = Script.of(JobLua.NOW + FAILURES + """
            local found = redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[4], ARGV[4], 1, ARGV[2])[1]
            if not found or found[4] ~= tonumber(ARGV[5]) then
              return 0
            end
            redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[3], 0, ARGV[4],
                'IDLE', math.max(ARGV[6] - ARGV[7], 0), 'RETRYCOUNT', found[4], 'JUSTID')
            local failures = readFailures(redis.call('HGET', KEYS[2], ARGV[4])) + ARGV[8]
            redis.call('HSET', KEYS[2], ARGV[4], string.format('%d %.0f', failures, now + ARGV[7]))
            return 1
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

    /**
     * Adds dead letters to the stream again, the oldest first, and removes the letters. A letter whose original fields are
     * packed into one field stays. Second key: the stream of dead letters. Arguments: first ID, last ID, maximum number of
     * letters. Returns the number of moved letters, and the ID of the last letter that was read, or an empty string.
     */
    static final Script REDRIVE = Script.of("""
            redis.call('XLEN', KEYS[1]) -- if this is not a stream, fails before any write
            local moved, last = 0, ''
            for _, letter in ipairs(redis.call('XRANGE', KEYS[2], ARGV[1], ARGV[2], 'COUNT', ARGV[3])) do
              last = letter[1]
              local fields, packed = {}, false
              for i = 1, #letter[2], 2 do
                local name = letter[2][i]
                packed = packed or name == 'millrace-fields'
                if string.sub(name, 1, 9) ~= 'millrace-' then
                  fields[#fields + 1] = name
                  fields[#fields + 1] = letter[2][i + 1]
                end
              end
              if not packed and #fields > 0 then
                redis.call('XDEL', KEYS[2], last)
                redis.call('XADD', KEYS[1], '*', unpack(fields))
                moved = moved + 1
              end
            end
            return {moved, last}
            """);

    private StreamScripts() {}
}
