// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.command.Script;

/** The Lua scripts that a {@link JobQueue} uses outside of its workers. Each script is one atomic step. */
final class ControlScripts {

    /**
     * {@code renewed} returns the element of a dead job, without failures and stalls. {@code idOf} returns the id of a
     * dead job. The comment in {@link JobScripts} describes the bytes.
     */
    private static final String DEAD_ENTRY = """
            local function parts(entry)
              local stop = string.find(entry, '\\n', 1, true)
              local length = stop and string.match(string.sub(entry, 1, stop - 1), '^mrd1 %d+ (%d+)$')
              local element = length and string.sub(entry, stop + 1 + tonumber(length)) or entry
              local lineEnd = string.find(element, '\\n', 1, true)
              if not lineEnd or lineEnd > 400 then
                return element
              end
              local id, pushed = string.match(string.sub(element, 1, lineEnd - 1), '^mr1 (%S+) %d+ %d+ (%d+)$')
              return element, id, pushed, lineEnd
            end
            local function renewed(entry)
              local element, id, pushed, lineEnd = parts(entry)
              if not id then
                return element
              end
              return 'mr1 ' .. id .. ' 0 0 ' .. pushed .. string.sub(element, lineEnd)
            end
            local function idOf(entry)
              local element, id = parts(entry)
              return id
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

    /** Makes one dead job wait again. Keys: dead, waiting. Argument: id of the job. Returns 1 if the job was dead. */
    static final Script REDRIVE_ONE = Script.of(DEAD_ENTRY + """
            redis.call('LLEN', KEYS[2]) -- if this is not a list, fails before any write
            local size = redis.call('LLEN', KEYS[1])
            for from = 0, size - 1, 500 do
              for _, entry in ipairs(redis.call('LRANGE', KEYS[1], from, from + 499)) do
                if idOf(entry) == ARGV[1] then
                  redis.call('LREM', KEYS[1], 1, entry)
                  redis.call('LPUSH', KEYS[2], renewed(entry))
                  return 1
                end
              end
            end
            return 0
            """);

    /**
     * Removes a list or a sorted set. Key: the list or set. Argument: the command that counts its elements. Returns the
     * number of removed elements.
     */
    static final Script PURGE = Script.of("""
            local size = redis.call(ARGV[1], KEYS[1])
            redis.call('UNLINK', KEYS[1])
            return size
            """);

    /**
     * Defines a recurring job. Keys: recurring, recurring due. Arguments: name, definition, time at which the job is due
     * first. If the same definition exists, the script does nothing, so that a due time in the past is kept.
     */
    static final Script SET_RECURRING = Script.of("""
            if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] and redis.call('ZSCORE', KEYS[2], ARGV[1]) then
              return 0
            end
            redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
            redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
            return 1
            """);

    /** Removes a recurring job. Keys: recurring, recurring due. Argument: name. Returns 1 if the job was defined. */
    static final Script CANCEL_RECURRING = Script.of("""
            redis.call('ZREM', KEYS[2], ARGV[1])
            return redis.call('HDEL', KEYS[1], ARGV[1])
            """);

    /**
     * Pushes a recurring job and sets its next due time, unless another worker has done so. Keys: recurring due,
     * waiting. Arguments: name, the due time that the caller has read, the next due time or an empty string, element.
     * Returns 1 if the script has pushed the job.
     */
    static final Script FIRE = Script.of("""
            local due = redis.call('ZSCORE', KEYS[1], ARGV[1])
            if not due or tonumber(due) ~= tonumber(ARGV[2]) then
              return 0
            end
            redis.call('LLEN', KEYS[2]) -- if this is not a list, fails before any write
            redis.call('ZREM', KEYS[1], ARGV[1])
            if ARGV[3] ~= '' then
              redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
            end
            if ARGV[4] ~= '' then
              redis.call('LPUSH', KEYS[2], ARGV[4])
            end
            return 1
            """);

    private ControlScripts() {}
}
