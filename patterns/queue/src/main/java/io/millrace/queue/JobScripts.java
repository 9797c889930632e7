// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.command.Script;

/*
 * DESIGN
 *
 *                LPUSH             BLMOVE or TAKE              LREM
 *     producers -------> waiting ------------------> taken ------------> removed
 *         |                 ^                        of a  --+
 *         | ZADD            | PROMOTE                worker  |--- failed: RETRY ------------------> delayed
 *         +-----> delayed --+                         ^      |--- failed too often: BURY ---------> dead
 *                                                     |      +--- its worker died: RELEASE_EXPIRED
 *                                                     |                          |
 *                                                     +------ TAKE ---- suspects +---- too often -> dead
 *
 * The hot path consists of plain commands: LPUSH, BLMOVE and LREM. BLMOVE moves the job to the list of its worker in
 * the step that takes the job, so the job is never only in the memory of a process. A worker takes only jobs that it
 * can begin at once. So each job in "taken" has begun, and a job that was not begun is never counted.
 *
 * All jobs of a worker that dies become suspects, because the queue does not know which job killed the worker. A
 * worker runs at most one suspect at a time. So when the guilty job kills its next worker, the other suspects are not
 * counted again, and only the guilty job reaches the maximum number of attempts.
 *
 * The id of a worker is its name, the character # and a random number. So two starts with one name never share a list.
 *
 * All times are read from the clock of the server, and in milliseconds.
 */

/**
 * The Lua scripts of {@link JobBackend}. Each script is one atomic step. A server without free memory rejects a script
 * whose first write needs memory. So each script begins with a write that frees memory, and the later writes succeed.
 */
final class JobScripts {

    private static final String NOW = """
            local time = redis.call('TIME')
            local now = time[1] * 1000 + math.floor(time[2] / 1000)
            """;

    /**
     * {@code header} returns the id, the failures, the stalls, the time of the push, and the position of the line feed.
     * Returns nil for an element without a header. {@code rewrite} returns the element after one more failure or stall,
     * and the number of attempts. An element without a header gets a header with {@code newId}.
     */
    private static final String HEADER = """
            local function header(element)
              local stop = string.find(element, '\\n', 1, true)
              if not stop or stop > 400 then
                return nil
              end
              local id, failures, stalls, pushed =
                  string.match(string.sub(element, 1, stop - 1), '^mr1 (%S+) (%d+) (%d+) (%d+)$')
              if not id then
                return nil
              end
              return id, tonumber(failures), tonumber(stalls), pushed, stop
            end
            local function rewrite(element, moreFailures, moreStalls, newId, now)
              local id, failures, stalls, pushed, stop = header(element)
              if not id then
                id, failures, stalls, pushed, stop = newId, 0, 0, string.format('%.0f', now), 0
              end
              failures, stalls = failures + moreFailures, stalls + moreStalls
              return string.format('mr1 %s %d %d %s', id, failures, stalls, pushed) .. '\\n'
                  .. string.sub(element, stop + 1), failures + stalls, stalls
            end
            local function isSuspect(element)
              local id, failures, stalls = header(element)
              return id and stalls > 0
            end
            """;

    /**
     * Adds an element to the dead jobs and drops the oldest dead jobs above the limit. A dead job is {@code mrd1
     * <time> <bytes of the reason>}, a line feed, the reason and the element.
     */
    private static final String BURY_ELEMENT = """
            local function bury(dead, counts, limit, now, reason, element)
              local size = redis.call('LPUSH', dead,
                  'mrd1 ' .. string.format('%.0f', now) .. ' ' .. #reason .. '\\n' .. reason .. element)
              redis.call('HINCRBY', counts, 'dead', 1)
              if size > limit then
                redis.call('LTRIM', dead, 0, limit - 1)
                redis.call('HINCRBY', counts, 'dropped', size - limit)
              end
            end
            """;

    /**
     * Adds a job that is due after a delay. Key: delayed. Arguments: the delay, the element.
     */
    static final Script PUSH_AFTER = Script.of(NOW + """
            return redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[2])
            """);

    /**
     * Registers a worker, or renews its lease. Keys: workers, waiting, delayed, suspects, dead. Arguments: id of the
     * worker, the part of the id up to {@code #}, lease. Returns 0, or the remaining lease of another worker of the same
     * name.
     */
    static final Script REGISTER = Script.of(NOW + """
            redis.call('LLEN', KEYS[2]) -- if a key has another type, fails before any write
            redis.call('ZCARD', KEYS[3])
            redis.call('LLEN', KEYS[4])
            redis.call('LLEN', KEYS[5])
            local workers = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
            for i = 1, #workers, 2 do
              local left = tonumber(workers[i + 1]) - now
              if workers[i] ~= ARGV[1] and left > 0 and string.sub(workers[i], 1, #ARGV[2]) == ARGV[2] then
                return left
              end
            end
            redis.call('ZREM', KEYS[1], ARGV[1])
            redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
            return 0
            """);

    /**
     * Renews the lease of a worker. Keys: workers, taken, suspects. Arguments: id of the worker, lease. Returns whether
     * the worker was registered, the time, the number of its taken jobs, the number of suspects, and up to 100 workers
     * whose lease has ended.
     */
    static final Script RENEW = Script.of(NOW + """
            local registered = redis.call('ZREM', KEYS[1], ARGV[1])
            if registered == 1 then
              redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
            end
            return {registered, now, redis.call('LLEN', KEYS[2]), redis.call('LLEN', KEYS[3]),
                redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 100)}
            """);

    /**
     * Makes the jobs of a worker suspects if the lease of the worker has ended. Keys: workers, taken, suspects, dead,
     * counts. Arguments: id of the worker, maximum number of attempts, maximum number of dead jobs. Returns the buried
     * elements, each followed by its number of stalls.
     */
    static final Script RELEASE_EXPIRED = Script.of(NOW + HEADER + BURY_ELEMENT + """
            local buried = {}
            local lease = redis.call('ZSCORE', KEYS[1], ARGV[1])
            if not lease or tonumber(lease) > now then
              return buried
            end
            redis.call('LLEN', KEYS[4]) -- if this is not a list, fails before any write
            local number = 0
            while true do
              local element = redis.call('RPOP', KEYS[2])
              if not element then
                break
              end
              number = number + 1
              local again, attempts, stalls = rewrite(element, 0, 1, ARGV[1] .. '-lost-' .. number, now)
              if attempts >= tonumber(ARGV[2]) then
                bury(KEYS[4], KEYS[5], tonumber(ARGV[3]), now,
                    'the worker died ' .. stalls .. ' times while this job ran', again)
                buried[#buried + 1] = again
                buried[#buried + 1] = stalls
              else
                redis.call('LPUSH', KEYS[3], again)
              end
            end
            redis.call('ZREM', KEYS[1], ARGV[1])
            return buried
            """);

    /**
     * Takes jobs for a worker. Keys: waiting, taken, suspects. Arguments: maximum number of jobs, 1 if one of the jobs
     * may be a suspect. Returns the elements, and the number of suspects that remain.
     */
    static final Script TAKE = Script.of("""
            local waiting, taken, suspects = KEYS[1], KEYS[2], KEYS[3]
            local jobs, left = {}, 0
            if ARGV[2] == '1' then
              local suspect = redis.call('RPOP', suspects)
              if suspect then
                redis.call('LPUSH', taken, suspect)
                jobs[1] = suspect
                left = redis.call('LLEN', suspects)
              end
            end
            local free = tonumber(ARGV[1]) - #jobs
            local new = free > 0 and redis.call('RPOP', waiting, free)
            if new then
              for from = 1, #new, 5000 do
                redis.call('LPUSH', taken, unpack(new, from, math.min(from + 4999, #new)))
              end
              for _, element in ipairs(new) do
                jobs[#jobs + 1] = element
              end
            end
            return {jobs, left}
            """);

    /**
     * Moves due jobs to the right end of the waiting jobs, where workers take jobs. Keys: delayed, waiting, suspects.
     * Argument: maximum number of jobs. Returns the number of moved jobs.
     */
    static final Script PROMOTE = Script.of(NOW + HEADER + """
            redis.call('LLEN', KEYS[2]) -- if this is not a list, fails before any write
            local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
            for i = #due, 1, -1 do
              redis.call('ZREM', KEYS[1], due[i])
              if isSuspect(due[i]) then
                redis.call('RPUSH', KEYS[3], due[i])
              else
                redis.call('RPUSH', KEYS[2], due[i])
              end
            end
            return #due
            """);

    /**
     * Makes a failed job wait for its next attempt. Keys: taken, delayed, counts. Arguments: the element, the id for an
     * element without a header, the delay. Returns 1 if the worker held the job, otherwise 0.
     */
    static final Script RETRY = Script.of(NOW + HEADER + """
            redis.call('ZCARD', KEYS[2]) -- if this is not a sorted set, fails before any write
            if redis.call('LREM', KEYS[1], -1, ARGV[1]) == 0 then
              return 0
            end
            redis.call('ZADD', KEYS[2], now + ARGV[3], (rewrite(ARGV[1], 1, 0, ARGV[2], now)))
            redis.call('HINCRBY', KEYS[3], 'failed', 1)
            return 1
            """);

    /**
     * Moves a job to the dead jobs. Keys: taken, dead, counts. Arguments: the element, the id for an element without a
     * header, maximum number of dead jobs, reason. Returns 1 if the worker held the job, otherwise 0.
     */
    static final Script BURY = Script.of(NOW + HEADER + BURY_ELEMENT + """
            redis.call('LLEN', KEYS[2]) -- if this is not a list, fails before any write
            if redis.call('LREM', KEYS[1], -1, ARGV[1]) == 0 then
              return 0
            end
            bury(KEYS[2], KEYS[3], tonumber(ARGV[3]), now, ARGV[4], (rewrite(ARGV[1], 1, 0, ARGV[2], now)))
            redis.call('HINCRBY', KEYS[3], 'failed', 1)
            return 1
            """);

    /**
     * Gives the jobs of a worker back, uncounted, to the end of the lists where workers take jobs. Keys: taken, waiting,
     * suspects, workers, counts. Arguments: id of the worker, 1 if the worker stays registered until its lease ends, the
     * number of succeeded jobs to count. Returns the number of the jobs.
     */
    static final Script LEAVE = Script.of(HEADER + """
            local number = 0
            while true do
              local element = redis.call('LPOP', KEYS[1])
              if not element then
                break
              end
              number = number + 1
              if isSuspect(element) then
                redis.call('RPUSH', KEYS[3], element)
              else
                redis.call('RPUSH', KEYS[2], element)
              end
            end
            if ARGV[2] ~= '1' then
              redis.call('ZREM', KEYS[4], ARGV[1])
            end
            if tonumber(ARGV[3]) > 0 then
              redis.call('HINCRBY', KEYS[5], 'succeeded', ARGV[3])
            end
            return number
            """);

    /**
     * Returns 1 if no job waits, is delayed, or is taken by one of the workers, otherwise 0. Keys: waiting, delayed,
     * suspects, workers, and the taken list of each worker. Arguments: the workers, as the caller knows them. Also
     * returns 0 if these are not the current workers.
     */
    static final Script IS_EMPTY = Script.of("""
            if redis.call('LLEN', KEYS[1]) + redis.call('ZCARD', KEYS[2]) + redis.call('LLEN', KEYS[3]) > 0
                or redis.call('ZCARD', KEYS[4]) ~= #ARGV then
              return 0
            end
            for i, worker in ipairs(ARGV) do
              if not redis.call('ZSCORE', KEYS[4], worker) or redis.call('LLEN', KEYS[4 + i]) > 0 then
                return 0
              end
            end
            return 1
            """);

    private JobScripts() {}
}
