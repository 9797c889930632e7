// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static io.millrace.queue.JobLua.NOW;

import io.millrace.client.command.Script;

/** The Lua scripts of {@link RecurringJobs}. Each script is one atomic step. */
final class RecurringScripts {

    /**
     * Defines a recurring job. Keys: recurring, recurring due. Arguments: name, definition, time at which the job is due
     * first. If the same definition exists, the script does nothing, so that a due time in the past is kept.
     */
    static final Script SET = Script.of("""
            if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] and redis.call('ZSCORE', KEYS[2], ARGV[1]) then
              return 0
            end
            redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
            redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
            return 1
            """);

    /** Removes a recurring job. Keys: recurring, recurring due, recurring last. Argument: name. Returns 1 if it was defined. */
    static final Script CANCEL = Script.of("""
            redis.call('ZREM', KEYS[2], ARGV[1])
            redis.call('HDEL', KEYS[3], ARGV[1])
            return redis.call('HDEL', KEYS[1], ARGV[1])
            """);

    /**
     * Reads the recurring jobs that are due. Keys: recurring due, recurring. Argument: maximum number of jobs. Returns
     * the time, and a list of names, due times and definitions. A definition is nil if it does not exist.
     */
    static final Script DUE = Script.of(NOW + """
            local found = {}
            local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'WITHSCORES', 'LIMIT', 0, ARGV[1])
            for i = 1, #due, 2 do
              found[#found + 1] = {due[i], due[i + 1], redis.call('HGET', KEYS[2], due[i])}
            end
            return {now, found}
            """);

    /**
     * Pushes recurring jobs and sets their next due times. Leaves out a job that is not due, or whose due time is not the
     * time that the caller has read, because another worker has pushed it. Leaves a time out if the last push of the job
     * still waits. Keys: recurring due, waiting, recurring last. Arguments, for each job: name, due time that the caller
     * has read, next due time or an empty string, element or an empty string. Returns the number of pushed jobs.
     *
     * <p>The script searches the last push among the newest 100,000 waiting jobs, so the search takes a few milliseconds at
     * most. In a longer queue, a recurring job may wait once for each 100,000 jobs.
     */
    static final Script FIRE = Script.of(NOW + """
            redis.call('LLEN', KEYS[2]) -- if this is not a list, fails before any write
            local pushed = 0
            for i = 1, #ARGV, 4 do
              local name, element = ARGV[i], ARGV[i + 3]
              local due = tonumber(redis.call('ZSCORE', KEYS[1], name) or now + 1)
              if due <= now and due == tonumber(ARGV[i + 1]) then
                redis.call('ZREM', KEYS[1], name)
                if ARGV[i + 2] ~= '' then
                  redis.call('ZADD', KEYS[1], ARGV[i + 2], name)
                end
                local last = redis.call('HGET', KEYS[3], name)
                local waits = last and redis.call('LPOS', KEYS[2], last, 'MAXLEN', 100000)
                if element ~= '' and not waits then
                  redis.call('LPUSH', KEYS[2], element)
                  redis.call('HSET', KEYS[3], name, element)
                  pushed = pushed + 1
                end
              end
            end
            return pushed
            """);

    private RecurringScripts() {}
}
