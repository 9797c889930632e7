// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/** The Lua functions that several scripts of a {@link JobQueue} share. */
final class JobLua {

    /** The time of the server in ms, as {@code now}. */
    static final String NOW = """
            local time = redis.call('TIME')
            local now = time[1] * 1000 + math.floor(time[2] / 1000)
            """;

    /**
     * Reads and writes elements. {@code head} returns the position of the line feed, the id, the failures, the deaths
     * and the time of the push; nil for an element without a header. {@code read} returns a job as a table.
     * An element without a header becomes a job with the id {@code newId}, pushed at {@code newTime}. {@code write}
     * returns the element of a job. {@link JobElement} describes the bytes.
     */
    static final String JOB = """
            local function head(element)
              local stop = string.find(element, '\\n', 1, true)
              if not stop or stop > 400 then
                return nil
              end
              local id, failures, deaths, pushed =
                  string.match(string.sub(element, 1, stop - 1), '^mr1 (%S+) (%d+) (%d+) (%d+)$')
              if not id then
                return nil
              end
              return stop, id, tonumber(failures), tonumber(deaths), pushed
            end
            local function read(element, newId, newTime)
              local stop, id, failures, deaths, pushed = head(element)
              if not stop then
                stop, id, failures, deaths, pushed = 0, newId, 0, 0, string.format('%.0f', newTime)
              end
              return {id = id, failures = failures, deaths = deaths, pushed = pushed,
                  payload = string.sub(element, stop + 1)}
            end
            local function write(job)
              return string.format('mr1 %s %d %d %s', job.id, job.failures, job.deaths, job.pushed)
                  .. '\\n' .. job.payload
            end
            local function isSuspect(element)
              local stop, id, failures, deaths = head(element)
              return stop and deaths > 0
            end
            """;

    /**
     * Adds an element to the dead jobs and drops the oldest dead jobs above the limit. Returns the number of dropped
     * jobs. A dead job is {@code mrd1 <time> <bytes of the reason>}, a line feed, the reason and the element.
     */
    static final String BURY = """
            local function bury(dead, counts, limit, now, reason, element)
              redis.call('HINCRBY', counts, 'dead', 1)
              local dropped = 1
              if limit > 0 then
                local size = redis.call('LPUSH', dead,
                    'mrd1 ' .. string.format('%.0f', now) .. ' ' .. #reason .. '\\n' .. reason .. element)
                redis.call('LTRIM', dead, 0, limit - 1)
                dropped = math.max(size - limit, 0)
              end
              if dropped > 0 then
                redis.call('HINCRBY', counts, 'dropped', dropped)
              end
              return dropped
            end
            """;

    private JobLua() {}
}
