// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.command.Script;

/** The Lua scripts that a {@link JobQueue} uses outside of its workers. Each script is one atomic step. */
final class ControlScripts {

    /**
     * {@code renewed} returns the element of a dead job, without failures and deaths. The comment in {@link
     * JobLua} describes the bytes of a dead job.
     */
    private static final String DEAD_ENTRY = JobLua.JOB + """
            local function renewed(entry)
              local stop = string.find(entry, '\\n', 1, true)
              local length = stop and string.match(string.sub(entry, 1, stop - 1), '^mrd1 %d+ (%d+)$')
              local element = length and string.sub(entry, stop + 1 + tonumber(length)) or entry
              if not head(element) then
                return element
              end
              local job = read(element, '', 0)
              job.failures, job.deaths = 0, 0
              return write(job)
            end
            """;

    /**
     * Makes dead jobs wait again, the oldest first. Keys: dead, waiting. Argument: maximum number of jobs. Returns the
     * number of moved jobs.
     */
    static final Script REDRIVE = Script.of(DEAD_ENTRY + """
            redis.call('LLEN', KEYS[2]) -- if this is not a list, fails before any write
            local moved = 0
            while moved < tonumber(ARGV[1]) do
              local entry = redis.call('RPOP', KEYS[1])
              if not entry then
                break
              end
              redis.call('LPUSH', KEYS[2], renewed(entry))
              moved = moved + 1
            end
            return moved
            """);

    /** Makes one dead job wait again. Keys: dead, waiting. Argument: the dead job. Returns 1 if the job was dead. */
    static final Script REDRIVE_ONE = Script.of(DEAD_ENTRY + """
            redis.call('LLEN', KEYS[2]) -- if this is not a list, fails before any write
            if redis.call('LREM', KEYS[1], 1, ARGV[1]) == 0 then
              return 0
            end
            redis.call('LPUSH', KEYS[2], renewed(ARGV[1]))
            return 1
            """);

    /**
     * Removes a list, a sorted set or a stream. Key: the key to remove. Argument: the command that counts its elements.
     * Returns the number of removed elements.
     */
    static final Script PURGE = Script.of("""
            local size = redis.call(ARGV[1], KEYS[1])
            redis.call('UNLINK', KEYS[1])
            return size
            """);

    private ControlScripts() {}
}
