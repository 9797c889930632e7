// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.client.Operation;
import io.millrace.lab.client.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;

/** A client with one connection that makes one mistake on purpose, after about 700 commands. */
@SuppressWarnings("NullAway.Init") // open() sets the field
final class JedisForTests implements ClientAdapter {

    /** What the client does wrong. */
    enum Mistake {
        NONE,
        /** The client does not send the command and says that the command succeeded. */
        SKIP,
        /** The client sends the command twice. */
        TWICE,
        /** The client returns a value of another key. */
        OTHER_VALUE,
        /** The client writes another value. */
        WRITE_OTHER
    }

    private static final int FIRST_WRONG = 700;

    private final ReentrantLock lock = new ReentrantLock();
    private final Mistake mistake;
    private Jedis jedis;
    private int commands; // guarded by the lock
    private boolean isDone; // guarded by the lock

    JedisForTests(Mistake mistake) {
        this.mistake = mistake;
    }

    @Override
    public void open(Target target) {
        jedis = new Jedis(target.host(), target.port(), 60_000);
    }

    @Override
    public @Nullable Object call(Operation operation) {
        lock.lock();
        try {
            return isWrong(operation) ? wrong(operation) : execute(operation);
        } finally {
            lock.unlock();
        }
    }

    private boolean isWrong(Operation operation) {
        boolean isRead = operation instanceof Operation.Get || operation instanceof Operation.PopLast;
        boolean isKind = (mistake == Mistake.OTHER_VALUE) == isRead && !(operation instanceof Operation.Expire);
        boolean isNow = ++commands >= FIRST_WRONG && isKind && !isDone && mistake != Mistake.NONE;
        isDone |= isNow;
        return isNow;
    }

    private @Nullable Object wrong(Operation operation) {
        return switch (mistake) {
            case NONE -> execute(operation);
            case SKIP -> operation instanceof Operation.Increment ? 1L : "OK";
            case TWICE -> {
                execute(operation);
                yield execute(operation);
            }
            case OTHER_VALUE -> {
                execute(operation);
                yield "another value";
            }
            case WRITE_OTHER ->
                operation instanceof Operation.Set set
                        ? execute(new Operation.Set(set.key(), "another value"))
                        : execute(new Operation.SetField(operation.key(), "another field", ""));
        };
    }

    private @Nullable Object execute(Operation operation) {
        return switch (operation) {
            case Operation.Set set -> jedis.set(set.key(), set.value());
            case Operation.Get get -> jedis.get(get.key());
            case Operation.Increment increment -> jedis.incr(increment.key());
            case Operation.SetField field -> jedis.hset(field.key(), field.field(), field.value());
            case Operation.PopLast pop -> jedis.rpop(pop.key());
            case Operation.Expire expire -> jedis.pexpire(expire.key(), expire.millis());
        };
    }

    @Override
    public CompletionStage<? extends @Nullable Object> send(Operation operation) {
        return CompletableFuture.completedFuture(call(operation));
    }

    @Override
    public List<? extends @Nullable Object> batch(List<Operation> operations) {
        List<@Nullable Object> replies = new ArrayList<>();
        operations.forEach(operation -> replies.add(call(operation)));
        return replies;
    }

    @Override
    public void close() {
        jedis.close();
    }
}
