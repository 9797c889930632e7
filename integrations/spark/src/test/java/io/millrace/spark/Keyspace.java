// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Replies;
import io.millrace.client.command.ScanOptions;
import io.millrace.client.command.ScanPage;
import io.millrace.client.command.Script;
import io.millrace.client.command.Scripts;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/**
 * The content of one database of a server.
 *
 * @param keys number of keys
 * @param digest a hash of all keys with their types and values, and of the fact whether a key expires
 */
record Keyspace(long keys, String digest) {

    private static final int PAGE = 1_000;

    /** Returns the SHA-1 of each key with its content. The order of fields and members makes no difference. */
    private static final Script DIGESTS = Script.of("""
            local digests={}
            for i,key in ipairs(KEYS) do
              local type=redis.call('TYPE',key).ok
              local values={}
              if type=='string' then values={redis.call('GET',key)}
              elseif type=='list' then values=redis.call('LRANGE',key,0,-1)
              elseif type=='zset' then values=redis.call('ZRANGE',key,0,-1,'WITHSCORES')
              elseif type=='set' then values=redis.call('SMEMBERS',key) table.sort(values)
              elseif type=='hash' then
                local all=redis.call('HGETALL',key)
                for j=1,#all,2 do values[#values+1]=#all[j]..':'..all[j]..all[j+1] end
                table.sort(values)
              else return redis.error_reply('unexpected type '..type) end
              for j=1,#values do values[j]=#values[j]..':'..values[j] end
              local expires=redis.call('PTTL',key)>=0 and ' expires ' or ' '
              digests[i]=redis.sha1hex(type..expires..#key..':'..key..table.concat(values))
            end
            return digests
            """);

    /** Reads all keys of the database of {@code client}. Nothing may write meanwhile. */
    static Keyspace of(RedisClient client) {
        // A scan may find a key twice.
        Set<String> digests = new HashSet<>();
        String cursor = ScanPage.START;
        do {
            ScanPage<List<String>> page = client.call(Keys.scan(cursor, ScanOptions.DEFAULT.withCount(PAGE)));
            if (!page.found().isEmpty()) {
                digests.addAll(
                        Replies.list(Replies::text).apply(client.call(Scripts.eval(DIGESTS, page.found(), List.of()))));
            }
            cursor = page.cursor();
        } while (!cursor.equals(ScanPage.START));
        byte[] sum = new byte[20];
        for (String digest : digests) {
            byte[] bytes = HexFormat.of().parseHex(digest);
            for (int i = 0; i < sum.length; i++) {
                sum[i] ^= bytes[i];
            }
        }
        return new Keyspace(digests.size(), HexFormat.of().formatHex(sum));
    }
}
