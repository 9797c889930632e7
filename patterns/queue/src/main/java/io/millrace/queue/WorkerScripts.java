// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.JobLua.BURY;
import static io.millrace.queue.JobLua.JOB;
import static io.millrace.queue.JobLua.NOW;

import io.millrace.client.command.Script;

/*
 * DESIGN
 *
 * The sorted set of the workers has three kinds of scores:
 *
 *     in the future      a live worker: the end of its lease
 *     in the past        the lease has ended, and the jobs are still in the list of the worker
 *     below zero         released: the jobs are suspects. The number is the time of the release
 *
 * A worker that was frozen does not know that it was released. Before its next renewal, it can take a job into its old
 * list, and die. So the queue keeps the id of a released worker, and live workers look at the list again, until an hour
 * has passed. The same applies to a worker that leaves after a fetch whose reply was lost: the server may execute the
 * fetch after the worker has left.
 *
 * The id of a worker is its name, the character # and a random number. So two starts with one name never share a list.
 */

/** The Lua scripts that concern the workers of a {@link JobQueue}. Each script is one atomic step. */
final class WorkerScripts {

    /** Time for which the id of a released worker is kept. Much longer than a worker without a lease takes jobs. */
    static final long FORGET_AFTER_MILLIS = 3_600_000;

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
     * Renews the lease of a worker. Does not renew a lease that has ended: another worker may have taken the name, and
     * REGISTER decides. Keys: workers, taken, suspects. Arguments: id of the worker, lease. Returns whether the lease was
     * renewed, the time, the number of the taken jobs of the worker, the number of suspects, and up to 100 workers whose
     * lease has ended.
     */
    static final Script RENEW = Script.of(NOW + """
            local lease = redis.call('ZSCORE', KEYS[1], ARGV[1])
            local registered = lease and tonumber(lease) > now and 1 or 0
            if registered == 1 then
              redis.call('ZREM', KEYS[1], ARGV[1])
              redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
            end
            return {registered, now, redis.call('LLEN', KEYS[2]), redis.call('LLEN', KEYS[3]),
                redis.call('ZRANGEBYSCORE', KEYS[1], '(0', now, 'LIMIT', 0, 100)}
            """);

    /**
     * Makes the jobs of a worker suspects if the lease of the worker has ended. Keys: workers, taken, suspects, dead,
     * counts. Arguments: id of the worker, maximum number of deaths, maximum number of dead jobs, time in ms after which
     * the id of a released worker is forgotten. Returns the number of jobs, the number of dropped dead jobs, and the
     * buried elements, each followed by its number of deaths.
     */
    static final Script RELEASE_EXPIRED = Script.of(NOW + JOB + BURY + """
            local lease = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or now + 1)
            if lease > now then
              return {0, 0, {}}
            end
            redis.call('LLEN', KEYS[4]) -- if this is not a list, fails before any write
            local buried, number, dropped = {}, 0, 0
            while true do
              local element = redis.call('RPOP', KEYS[2])
              if not element then
                break
              end
              number = number + 1
              local job = read(element, ARGV[1] .. '-' .. string.format('%.0f', now) .. '-' .. number, now)
              job.deaths = job.deaths + 1
              if job.deaths >= tonumber(ARGV[2]) then
                local dead = write(job)
                dropped = dropped + bury(KEYS[4], KEYS[5], tonumber(ARGV[3]), now,
                    'the worker died ' .. job.deaths .. ' times while this job ran', dead)
                buried[#buried + 1] = dead
                buried[#buried + 1] = job.deaths
              else
                redis.call('LPUSH', KEYS[3], write(job))
              end
            end
            if lease > 0 or number > 0 then
              redis.call('ZREM', KEYS[1], ARGV[1])
              redis.call('ZADD', KEYS[1], -now, ARGV[1])
            elseif now + lease > tonumber(ARGV[4]) then
              redis.call('ZREM', KEYS[1], ARGV[1])
            end
            return {number, dropped, buried}
            """);

    /**
     * Gives the jobs of a worker back, uncounted, to the end of the lists where workers take jobs. Keys: taken, waiting,
     * suspects, workers, counts. Arguments: id of the worker, 1 if a fetch whose reply was lost may still move a job to the
     * worker, the number of succeeded jobs to count. In the first case, the worker is released: live workers look at its
     * list for an hour, and its name is free.
     */
    static final Script LEAVE = Script.of(NOW + JOB + """
            while true do
              local element = redis.call('LPOP', KEYS[1])
              if not element then
                break
              end
              redis.call('RPUSH', isSuspect(element) and KEYS[3] or KEYS[2], element)
            end
            redis.call('ZREM', KEYS[4], ARGV[1])
            if ARGV[2] == '1' then
              redis.call('ZADD', KEYS[4], -now, ARGV[1])
            end
            if tonumber(ARGV[3]) > 0 then
              redis.call('HINCRBY', KEYS[5], 'succeeded', ARGV[3])
            end
            return 1
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

    private WorkerScripts() {}
}
