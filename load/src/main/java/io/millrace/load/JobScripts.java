// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.command.Script;

/**
 * The Lua scripts that change the state of a job. Each script first compares the lock with the run in {@code ARGV[1]}, so
 * a run that has lost its lock changes nothing. The error has the code {@link #LOCK_LOST}.
 *
 * <p>{@code KEYS[1]} is the lock.
 */
final class JobScripts {

    static final String LOCK_LOST = "LOCKLOST";

    private static final String HOLD = """
            if redis.call('GET',KEYS[1])~=ARGV[1] then
            return redis.error_reply('LOCKLOST another run holds the lock of this job')
            end
            """;

    /** Extends the lock by {@code ARGV[2]} ms. */
    static final Script RENEW = Script.of(HOLD + "return redis.call('PEXPIRE',KEYS[1],ARGV[2])");

    static final Script RELEASE = Script.of(HOLD + "return redis.call('DEL',KEYS[1])");

    /**
     * Begins a run. Uses the permissions that the run needs at its end. KEYS: lock, state, probe. ARGV: run, key
     * template, type, swap, prune.
     */
    static final Script START = Script.of(HOLD + """
            redis.call('SADD',KEYS[3],'x')
            redis.call('RENAME',KEYS[3],KEYS[3])
            redis.call('UNLINK',KEYS[3])
            return redis.call('HSET',KEYS[2],'phase','loading','run',ARGV[1],'runKey',ARGV[2],'runType',ARGV[3],
              'swap',ARGV[4],'prune',ARGV[5])
            """);

    /** Sets the phase {@code ARGV[2]} of the run. KEYS: lock, state. */
    static final Script PHASE = Script.of(HOLD + "return redis.call('HSET',KEYS[2],'phase',ARGV[2])");

    /**
     * Replaces keys by their shadow keys. Returns the number of replaced keys. A shadow key that does not exist was
     * swapped before. KEYS: lock, then pairs of shadow key and key. The old value is moved away and then unlinked, so
     * that the server frees its memory in another thread.
     */
    static final Script SWAP = Script.of(HOLD + """
            local swapped=0
            for i=2,#KEYS,2 do
            local shadow,key=KEYS[i],KEYS[i+1]
            if redis.call('EXISTS',shadow)==1 then
            local old=shadow..':old'
            local had=redis.call('EXISTS',key)==1
            if had then redis.call('RENAME',key,old) end
            local r=redis.pcall('RENAME',shadow,key)
            if r.err then
            if had then redis.call('RENAME',old,key) end
            return r
            end
            if had then redis.call('UNLINK',old) end
            swapped=swapped+1
            end
            end
            return swapped
            """);

    /**
     * Removes keys that are not in the new manifest and have the type {@code ARGV[2]}. Returns the number of removed
     * keys, and the number of keys with another type. KEYS: lock, new manifest, then the keys.
     */
    static final Script PRUNE = Script.of(HOLD + """
            local removed,foreign=0,0
            for i=3,#KEYS do
            if redis.call('SISMEMBER',KEYS[2],KEYS[i])==0 then
            local t=redis.call('TYPE',KEYS[i]).ok
            if t==ARGV[2] then removed=removed+redis.call('UNLINK',KEYS[i])
            elseif t~='none' then foreign=foreign+1 end
            end
            end
            return {removed,foreign}
            """);

    /**
     * Ends a run with success: the new manifest replaces the manifest if {@code ARGV[2]} is 1, and is added to the
     * manifest otherwise. KEYS: lock, state, new manifest, manifest.
     */
    static final Script FINISH = Script.of(HOLD + """
            if redis.call('EXISTS',KEYS[3])==1 then
            if ARGV[2]=='1' or redis.call('EXISTS',KEYS[4])==0 then
            redis.call('UNLINK',KEYS[4])
            redis.call('RENAME',KEYS[3],KEYS[4])
            else
            redis.call('SUNIONSTORE',KEYS[4],KEYS[4],KEYS[3])
            redis.call('UNLINK',KEYS[3])
            end
            redis.call('HSET',KEYS[2],'key',redis.call('HGET',KEYS[2],'runKey'),
              'type',redis.call('HGET',KEYS[2],'runType'))
            end
            return redis.call('HSET',KEYS[2],'phase','idle')
            """);

    /** Ends a run without success, after its shadow keys were removed. KEYS: lock, state, new manifest. */
    static final Script DROP = Script.of(HOLD + """
            redis.call('UNLINK',KEYS[3])
            return redis.call('HSET',KEYS[2],'phase','idle')
            """);

    private JobScripts() {}
}
