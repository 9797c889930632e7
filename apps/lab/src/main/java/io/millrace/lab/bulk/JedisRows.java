// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.experiment.WorkContext;
import java.util.LinkedHashMap;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;

/** One hash for each row through a pipeline of Jedis, with all replies read every {@value #PIPELINE} commands. */
final class JedisRows implements TableWork.RowSink {

    static final int PIPELINE = 1_000;

    private final Jedis jedis;
    private final Pipeline pipeline;
    private int waiting;

    private JedisRows(Jedis jedis) {
        this.jedis = jedis;
        this.pipeline = jedis.pipelined();
    }

    static JedisRows open(WorkContext context) {
        var jedis = Connections.jedis(context.target());
        jedis.connect();
        return new JedisRows(jedis);
    }

    @Override
    public void accept(String[] values) {
        var fields = new LinkedHashMap<String, String>();
        for (int i = 0; i < values.length; i++) {
            fields.put(RowData.COLUMNS.get(i), values[i]);
        }
        pipeline.hset(RowData.KEYSPACE + ":" + values[0], fields);
        if (++waiting == PIPELINE) {
            finish();
        }
    }

    /** Reads the replies. An error reply is an exception. */
    @Override
    public void finish() {
        for (var reply : pipeline.syncAndReturnAll()) {
            if (reply instanceof RuntimeException failure) {
                throw failure;
            }
        }
        waiting = 0;
    }

    @Override
    public void close() {
        pipeline.close();
        jedis.close();
    }
}
