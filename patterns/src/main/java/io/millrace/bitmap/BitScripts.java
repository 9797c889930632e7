// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Script;

/** What the server does in one step, so that nobody sees it half done and nothing is left of it. */
final class BitScripts {

    /**
     * Runs a {@link Program}. Keys: its sources, its temporaries. Arguments: the number of sources; {@code count}, {@code read}, or for
     * how many milliseconds to keep the result; the steps. Answers the count, the bytes, or the length in bytes. Temporaries are
     * deleted in any case, also after an error; a result that is kept has its expiry before anybody sees it.
     *
     * <p>Redis combines up to 16 strings a word at a time as far as the shortest of them goes, and everything else byte by byte: so of a
     * union, in which they add nothing, those that are not there are left out, and those of about the same length come together.
     */
    static final Script COMBINE = Script.of("""
            local sources, mode = tonumber(ARGV[1]), ARGV[2]
            local function key(register)
              local number = tonumber(register)
              return KEYS[number > 0 and number or sources - number]
            end
            local function failed(answer)
              return type(answer) == 'table' and answer.err
            end
            local function ascending(operands)
              local lengths, there = {}, {}
              for _, operand in ipairs(operands) do
                local length = redis.pcall('STRLEN', operand)
                if failed(length) then
                  return nil, length
                end
                lengths[operand] = length
                if length > 0 then
                  there[#there + 1] = operand
                end
              end
              table.sort(there, function(one, other) return lengths[one] < lengths[other] end)
              return there
            end
            local function combine(operation, destination, operands)
              if operation == 'OR' then
                local there, failure = ascending(operands)
                if failure then
                  return failure
                end
                operands = there
              end
              local answer, from = 0, 1
              while from <= #operands and not failed(answer) do
                local more = {destination}
                if from > 1 then
                  more[2] = destination
                end
                while #more <= 16 and from <= #operands do
                  more[#more + 1] = operands[from]
                  from = from + 1
                end
                answer = redis.pcall('BITOP', operation, unpack(more))
              end
              return answer
            end
            local answer
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
              answer = combine(operation, table.remove(operands, 1), operands)
              if failed(answer) then
                break
              end
            end
            local last = #KEYS
            if not failed(answer) then
              if mode == 'count' then
                answer = redis.pcall('BITCOUNT', KEYS[last])
              elseif mode == 'read' then
                answer = redis.pcall('GET', KEYS[last]) or ''
              else
                redis.call('PEXPIRE', KEYS[last], mode)
                last = last - 1
              end
            end
            for i = sources + 1, last do
              redis.call('UNLINK', KEYS[i])
            end
            return answer
            """);

    /**
     * Adds bits to a bitmap. Keys: the bitmap, two temporaries, and in chunks the set of their numbers. Arguments: in bytes where the
     * bits begin; the bits; in chunks the number. Answers how many bits were not set before. Only those bytes are read and written, and
     * the bitmap keeps its expiry, which BITOP on it would take away.
     */
    static final Script ADD_BLOCK = Script.of("""
            local key, known, more = KEYS[1], KEYS[2], KEYS[3]
            local first, bits = ARGV[1], ARGV[2]
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
              redis.call('SADD', KEYS[4], ARGV[3])
            end
            redis.call('SETRANGE', key, first, bits)
            return redis.call('BITCOUNT', key, first, last) - before
            """);

    /**
     * Marks in a chunk. Keys: the chunk, the set of the chunks' numbers. Arguments: the number, those of BITFIELD, whose answer it
     * answers. In one step, so that what deletes both takes the mark too, or leaves it in sight.
     */
    static final Script MARK_IN_CHUNK = Script.of("""
            redis.call('SADD', KEYS[2], ARGV[1])
            return redis.call('BITFIELD', KEYS[1], unpack(ARGV, 2))
            """);

    /** Key: one that is to expire. Arguments: an offset, the bytes that begin there, milliseconds. In one step, so that it expires in any case. */
    static final Script WRITE_EXPIRING = Script.of("""
            redis.call('SETRANGE', KEYS[1], ARGV[1], ARGV[2])
            return redis.call('PEXPIRE', KEYS[1], ARGV[3])
            """);

    /**
     * Publishes a population, if all of its keys are there. Keys: the head, those with the bits. Arguments: the values of the head.
     * Answers 1 if published.
     */
    static final Script PUBLISH = Script.of("""
            for i = 2, #KEYS do
              if redis.call('EXISTS', KEYS[i]) == 0 then
                return 0
              end
            end
            redis.call('HSET', KEYS[1], 'bits', ARGV[1], 'keyBytes', ARGV[2], 'ones', ARGV[3])
            for i = 2, #KEYS do
              redis.call('PERSIST', KEYS[i])
            end
            return 1
            """);

    /** Key: a compressed set. Arguments: the stamp that it must have, empty if there must be none; the new bytes. Answers 1 if written. */
    static final Script REPLACE = Script.of("""
            if redis.call('GETRANGE', KEYS[1], 0, 7) ~= ARGV[1] then
              return 0
            end
            redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
            return 1
            """);

    private BitScripts() {}
}
