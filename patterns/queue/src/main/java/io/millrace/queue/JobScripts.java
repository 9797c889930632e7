// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.JobLua.JOB;
import static io.millrace.queue.JobLua.NOW;

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
 * the step that takes the job, so the job is never only in the memory of a process. The jobs in
 * "taken" run, or begin soon (Places), or have ended and are not acknowledged yet.
 *
 * All jobs of a worker that dies become suspects, because the queue does not know which job killed the worker. A
 * worker runs at most one suspect at a time. So when the guilty job kills its next worker, the other suspects are not
 * counted again, and only the guilty job reaches the maximum number of deaths.
 *
 * The scripts decide by the clock of the server, in milliseconds, which jobs are due. A worker only estimates this clock, to
 * know when to run such a script.
 */

/**
 * The Lua scripts that move the jobs of a {@link JobQueue}. Each script is one atomic step. A server without free memory
 * rejects a script whose first write needs memory. So each script of a worker begins with a write that frees memory, and
 * the later writes succeed.
 */
final class JobScripts {

    /**
     * Adds a job that is due after a delay. Key: delayed. Arguments: the delay, the element.
     */
    static final Script PUSH_AFTER = Script.of(NOW + """
            return redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[2])
            """);

    /**
     * Takes jobs for a worker. An element without a header gets a header. Keys: waiting, taken, suspects. Arguments:
     * maximum number of jobs, 1 if one of the jobs may be a suspect, the beginning of new ids. Returns the elements, and
     * the number of suspects that remain.
     */
    static final Script TAKE = Script.of(JOB + """
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
              for i, element in ipairs(new) do
                local _, stop = string.find(element, '^mr1 %S+ %d+ %d+ %d+\\n')
                if not stop or stop > 400 then
                  local time = redis.call('TIME')
                  new[i] = write(read(element, ARGV[3] .. '-' .. i, time[1] * 1000 + math.floor(time[2] / 1000)))
                end
              end
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
     * Gives a header to an element that a worker has taken. Key: taken. Arguments: the element, the id. Returns the new
     * element, or nil if the worker does not hold the element.
     */
    static final Script ADD_HEADER = Script.of(NOW + JOB + """
            if redis.call('LREM', KEYS[1], -1, ARGV[1]) == 0 then
              return false
            end
            local element = write(read(ARGV[1], ARGV[2], now))
            redis.call('LPUSH', KEYS[1], element)
            return element
            """);

    /**
     * Moves due jobs to the right end of the waiting jobs, where workers take jobs. Keys: delayed, waiting, suspects.
     * Argument: maximum number of jobs. Returns the number of moved jobs.
     */
    static final Script PROMOTE = Script.of(NOW + JOB + """
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
     * Makes a failed job wait for its next attempt. Keys: taken, delayed, counts. Arguments: the element, the delay, 1 if
     * the attempt counts as a death. Returns 1 if the worker held the job, otherwise 0.
     */
    static final Script RETRY = Script.of(NOW + JOB + """
            redis.call('ZCARD', KEYS[2]) -- if this is not a sorted set, fails before any write
            if redis.call('LREM', KEYS[1], -1, ARGV[1]) == 0 then
              return 0
            end
            local job = read(ARGV[1], string.format('%.0f', now), now)
            if ARGV[3] == '1' then
              job.deaths = job.deaths + 1
            else
              job.failures = job.failures + 1
            end
            redis.call('ZADD', KEYS[2], now + ARGV[2], write(job))
            redis.call('HINCRBY', KEYS[3], 'failed', 1)
            return 1
            """);

    /**
     * Moves a job to the dead jobs. Keys: taken, dead, counts. Arguments: the element, maximum number of dead jobs,
     * reason. Returns 0 if the worker did not hold the job, otherwise 1 and the number of dropped dead jobs.
     */
    static final Script BURY = Script.of(NOW + JOB + JobLua.BURY + """
            redis.call('LLEN', KEYS[2]) -- if this is not a list, fails before any write
            if redis.call('LREM', KEYS[1], -1, ARGV[1]) == 0 then
              return 0
            end
            local job = read(ARGV[1], string.format('%.0f', now), now)
            job.failures = job.failures + 1
            redis.call('HINCRBY', KEYS[3], 'failed', 1)
            return 1 + bury(KEYS[2], KEYS[3], tonumber(ARGV[2]), now, ARGV[3], write(job))
            """);

    /**
     * Gives one job back, uncounted, to be taken next. Keys: taken, waiting, suspects. Argument: the element. Returns 1 if
     * the worker held the job, otherwise 0.
     */
    static final Script GIVE_BACK = Script.of(JOB + """
            if redis.call('LREM', KEYS[1], -1, ARGV[1]) == 0 then
              return 0
            end
            redis.call('RPUSH', isSuspect(ARGV[1]) and KEYS[3] or KEYS[2], ARGV[1])
            return 1
            """);

    private JobScripts() {}
}
