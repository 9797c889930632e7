// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.command.Script;

/**
 * The Lua scripts that change the state of a job. Each script first compares the lock with the run in {@code ARGV[1]}, so
 * a run that has lost its lock to another run changes nothing. The error then has the code {@link #LOCK_LOST}.
 *
 * <p>A lock can also expire without another run, if the server or the process stands still for longer than the expiry. The
 * next script then takes the lock again, because the state still names this run as its owner. A run that begins becomes
 * the owner before it changes anything. If there is no lock and no state, another client has deleted them: {@link
 * #STATE_LOST}.
 *
 * <p>{@code KEYS[1]} is the lock, and {@code KEYS[2]} is the state.
 */
final class JobScripts {

    static final String LOCK_LOST = "LOCKLOST";
    static final String STATE_LOST = "STATELOST";

    private static final String HOLD = """
            local holder=redis.call('GET',KEYS[1])
            if holder~=ARGV[1] then
            local owner=redis.call('HGET',KEYS[2],'owner')
            if not holder and not owner then
            return redis.error_reply('STATELOST another client has deleted the state of this job')
            end
            if holder or owner~=ARGV[1] then
            return redis.error_reply('LOCKLOST another run has taken the lock of this job')
            end
            redis.call('SET',KEYS[1],ARGV[1],'PX',%d)
            end
            """.formatted(JobLock.EXPIRY_MILLIS);

    /** Extends the lock by {@code ARGV[2]} ms. */
    static final Script RENEW = Script.of(HOLD + "return redis.call('PEXPIRE',KEYS[1],ARGV[2])");

    static final Script RELEASE = Script.of("""
            if redis.call('GET',KEYS[1])~=ARGV[1] then return 0 end
            return redis.call('DEL',KEYS[1])
            """);

    /** Makes the run the owner of the state, so that an earlier run cannot take its lock again. KEYS: lock, state. */
    static final Script CLAIM = Script.of(HOLD + "return redis.call('HSET',KEYS[2],'owner',ARGV[1])");

    /**
     * Begins a run. Uses the permissions that the run needs at its end. KEYS: lock, state, probe. ARGV: run, key
     * template, type, swap, prune.
     */
    static final Script START = Script.of(HOLD + """
            redis.call('SADD',KEYS[3],'x')
            redis.call('RENAME',KEYS[3],KEYS[3])
            redis.call('UNLINK',KEYS[3])
            return redis.call('HSET',KEYS[2],'phase','loading','run',ARGV[1],'owner',ARGV[1],'runKey',ARGV[2],
              'runType',ARGV[3],'swap',ARGV[4],'prune',ARGV[5])
            """);

    /** Sets the phase {@code ARGV[2]} of the run, and whether it prunes. KEYS: lock, state. ARGV: run, phase, prune. */
    static final Script PHASE = Script.of(HOLD + "return redis.call('HSET',KEYS[2],'phase',ARGV[2],'prune',ARGV[3])");

    /**
     * Replaces keys by their shadow keys. Returns the number of replaced keys. A shadow key that does not exist was
     * swapped before. KEYS: lock, state, then pairs of shadow key and key. The old value is moved away and then unlinked, so
     * that the server frees its memory in another thread.
     */
    static final Script SWAP = Script.of(HOLD + """
            local swapped=0
            for i=3,#KEYS,2 do
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
     * keys, and the number of keys with another type, with the first of these keys and its type. KEYS: lock, state, new
     * manifest, then the keys.
     */
    static final Script PRUNE = Script.of(HOLD + """
            local removed,foreign,first=0,0,{}
            for i=4,#KEYS do
            if redis.call('SISMEMBER',KEYS[3],KEYS[i])==0 then
            local t=redis.call('TYPE',KEYS[i]).ok
            if t==ARGV[2] then removed=removed+redis.call('UNLINK',KEYS[i])
            elseif t~='none' then
            foreign=foreign+1
            if foreign==1 then first={KEYS[i],t} end
            end
            end
            end
            return {removed,foreign,first[1],first[2]}
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
