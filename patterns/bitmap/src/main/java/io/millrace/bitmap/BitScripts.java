// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.command.Script;

/**
 * Lua scripts. The server executes each script as one atomic step. No client sees an intermediate state, and no
 * temporary key remains after an error.
 */
final class BitScripts {

    /**
     * Runs a {@link BitopProgram}. Keys: the source keys, then the temporary keys. Arguments: the number of sources,
     * the mode, the steps. The modes are:
     *
     * <ul>
     *   <li>{@code count}: the script returns the number of set bits of the result
     *   <li>{@code read}: the script returns the bytes of the result
     *   <li>a number of milliseconds: the script keeps the result with this expiry, and returns the length of the
     *       result in bytes
     * </ul>
     *
     * <p>The script deletes all other temporary keys, even after an error.
     *
     * <p>BITOP is fastest with at most 16 strings of the same length. BITOP reads words up to the length of the
     * shortest string, and single bytes after this length. So for a union the script skips missing keys, and combines
     * strings of similar length in the same BITOP.
     */
    static final Script COMBINE = Script.of("""
            local sources, mode = tonumber(ARGV[1]), ARGV[2]
            local function key(register)
              local number = tonumber(register)
              return KEYS[number > 0 and number or sources - number]
            end
            local function failed(reply)
              return type(reply) == 'table' and reply.err
            end
            local function ascending(operands)
              local lengths, existing = {}, {}
              for _, operand in ipairs(operands) do
                local length = redis.pcall('STRLEN', operand)
                if failed(length) then
                  return nil, length
                end
                lengths[operand] = length
                if length > 0 then
                  existing[#existing + 1] = operand
                end
              end
              table.sort(existing, function(one, other) return lengths[one] < lengths[other] end)
              return existing
            end
            local function combine(operation, destination, operands)
              if operation == 'OR' then
                local existing, failure = ascending(operands)
                if failure then
                  return failure
                end
                operands = existing
              end
              local reply, from = 0, 1
              while from <= #operands and not failed(reply) do
                local more = {destination}
                if from > 1 then
                  more[2] = destination
                end
                while #more <= 16 and from <= #operands do
                  more[#more + 1] = operands[from]
                  from = from + 1
                end
                reply = redis.pcall('BITOP', operation, unpack(more))
              end
              return reply
            end
            local reply
            for i = 3, #ARGV do
              local operation
              local operands = {}
              for word in string.gmatch(ARGV[i], '%S+') do
                if operation then
                  operands[#operands + 1] = key(word)
                else
                  operation = word
                end
              end
              reply = combine(operation, table.remove(operands, 1), operands)
              if failed(reply) then
                break
              end
            end
            local last = #KEYS
            if not failed(reply) then
              if mode == 'count' then
                reply = redis.pcall('BITCOUNT', KEYS[last])
              elseif mode == 'read' then
                reply = redis.pcall('GET', KEYS[last]) or ''
              else
                redis.call('PEXPIRE', KEYS[last], mode)
                last = last - 1
              end
            end
            for i = sources + 1, last do
              redis.call('UNLINK', KEYS[i])
            end
            return reply
            """);

    /**
     * Adds a block of bits to a bitmap. Keys: the bitmap and two temporary keys; if the bitmap is a chunk, also the set
     * of chunk numbers. Arguments: the offset of the block in bytes, the bits of the block, the expiry; if the bitmap is
     * a chunk, also the number of the chunk. Returns the number of bits that were not set before; a negative number if the
     * span has expired. The script reads and writes only the bytes of the block. The script does not run BITOP on the
     * bitmap, because BITOP would remove the expiry of the bitmap.
     *
     * <p>In all scripts that add marks, the expiry is a time in milliseconds since 1970, or 0 for none. If the span has
     * expired, the script changes nothing.
     */
    static final Script ADD_BLOCK = Script.of(SpanExpiry.LUA + """
            local key, known, more = KEYS[1], KEYS[2], KEYS[3]
            local first, bits = ARGV[1], ARGV[2]
            local left = lifetime(ARGV[3], KEYS[4] or key, key)
            if left == 0 then
              return -1
            end
            local last = first + #bits - 1
            local before = redis.call('BITCOUNT', key, first, last)
            if before > 0 then
              redis.call('SET', known, redis.call('GETRANGE', key, first, last))
              redis.call('SET', more, bits)
              redis.call('BITOP', 'OR', known, known, more)
              bits = redis.call('GET', known)
              redis.call('UNLINK', known, more)
            end
            if KEYS[4] then
              redis.call('SADD', KEYS[4], ARGV[4])
            end
            redis.call('SETRANGE', key, first, bits)
            expire(left, key, KEYS[4])
            return redis.call('BITCOUNT', key, first, last) - before
            """);

    /**
     * Marks ids in a bitmap. Keys: the bitmap; if the bitmap is a chunk, also the set of chunk numbers. Arguments: the
     * expiry, the chunk number, the arguments of BITFIELD. Returns the reply of BITFIELD; a negative number if the span has
     * expired. A single mark that exists is only read, so that the server does not replicate the script. A concurrent
     * delete removes a chunk and its number in one step. So the set contains the number of every chunk with marks.
     */
    static final Script MARK = Script.of(SpanExpiry.LUA + """
            local left = lifetime(ARGV[1], KEYS[2] or KEYS[1], KEYS[1])
            if left == 0 then
              return -1
            end
            if #ARGV == 6 and redis.call('GETBIT', KEYS[1], ARGV[5]) == 1 then
              return {1}
            end
            if KEYS[2] then
              redis.call('SADD', KEYS[2], ARGV[2])
            end
            local reply = redis.call('BITFIELD', KEYS[1], unpack(ARGV, 3))
            expire(left, KEYS[1], KEYS[2])
            return reply
            """);

    /** Writes bytes and sets an expiry. Arguments: the offset, the bytes, the expiry in milliseconds. */
    static final Script WRITE_EXPIRING = Script.of("""
            redis.call('SETRANGE', KEYS[1], ARGV[1], ARGV[2])
            return redis.call('PEXPIRE', KEYS[1], ARGV[3])
            """);

    /**
     * Publishes a population if the key with its bits exists: writes the population header, and removes the expiry of
     * the bits. Keys: the header, the bits. Arguments: the number of bits, the number of set bits. Returns 1 if the
     * script published the population, otherwise 0.
     */
    static final Script PUBLISH = Script.of("""
            if redis.call('EXISTS', KEYS[2]) == 0 then
              return 0
            end
            redis.call('HSET', KEYS[1], 'bits', ARGV[1], 'ones', ARGV[2])
            redis.call('PERSIST', KEYS[2])
            return 1
            """);

    private BitScripts() {}
}
