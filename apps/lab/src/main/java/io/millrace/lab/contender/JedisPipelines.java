// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Response;

/** Jedis with pipelines whose responses are read. */
public record JedisPipelines(int length) implements WarmContender {

    @Override
    public String name() {
        return "jedis";
    }

    @Override
    public String note() {
        return "Pipeline, sync() and all responses read every " + length + "; JVM warm, connection open";
    }

    @Override
    public Rounds open(Task task) {
        var jedis = new Jedis(task.host(), task.port());
        jedis.ping();
        return new PipelineRounds<>(length, task.operations(), new Commands(jedis));
    }

    private static final class Commands implements PipelineRounds.Client<Response<String>, Response<String>> {

        private final Jedis jedis;
        private AbstractPipeline pipeline;

        private Commands(Jedis jedis) {
            this.jedis = jedis;
            this.pipeline = jedis.pipelined();
        }

        @Override
        public void begin() {
            pipeline = jedis.pipelined();
        }

        @Override
        public Response<String> set(String key, String value) {
            return pipeline.set(key, value);
        }

        @Override
        public Response<String> get(String key) {
            return pipeline.get(key);
        }

        @Override
        public void run() {
            pipeline.close(); // syncs
        }

        @Override
        public String setReply(Response<String> result) {
            return result.get();
        }

        @Override
        public String getReply(Response<String> result) {
            return result.get();
        }

        @Override
        public void close() {
            jedis.close();
        }
    }
}
