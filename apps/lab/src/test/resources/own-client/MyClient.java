// SPDX-License-Identifier: Apache-2.0
package com.example;

import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.client.Operation;
import io.millrace.lab.client.Target;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.Response;

/** Measures your library. This example uses Jedis in place of the library. */
public final class MyClient implements ClientAdapter {

    private RedisClient redis;

    @Override
    public void open(Target target) {
        redis = RedisClient.create(target.host(), target.port());
        redis.ping();
    }

    @Override
    public Object call(Operation operation) {
        return switch (operation) {
            case Operation.Set set -> redis.set(set.key(), set.value());
            case Operation.Get get -> redis.get(get.key());
            case Operation.Increment increment -> redis.incr(increment.key());
            case Operation.SetField set -> redis.hset(set.key(), set.field(), set.value());
            case Operation.PopLast pop -> redis.rpop(pop.key());
            case Operation.Expire expire -> redis.pexpire(expire.key(), expire.millis());
        };
    }

    @Override
    public List<Object> batch(List<Operation> operations) {
        List<Response<?>> responses = new ArrayList<>();
        try (var pipeline = redis.pipelined()) {
            for (Operation operation : operations) {
                responses.add(switch (operation) {
                    case Operation.Set set -> pipeline.set(set.key(), set.value());
                    case Operation.Get get -> pipeline.get(get.key());
                    case Operation.Increment increment -> pipeline.incr(increment.key());
                    case Operation.SetField set -> pipeline.hset(set.key(), set.field(), set.value());
                    case Operation.PopLast pop -> pipeline.rpop(pop.key());
                    case Operation.Expire expire -> pipeline.pexpire(expire.key(), expire.millis());
                });
            }
        }
        List<Object> replies = new ArrayList<>();
        responses.forEach(response -> replies.add(response.get()));
        return replies;
    }

    @Override
    public void close() {
        if (redis != null) {
            redis.close();
        }
    }
}
