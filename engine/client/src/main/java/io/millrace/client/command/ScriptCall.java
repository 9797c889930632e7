// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A script with its keys and arguments, created by {@link Scripts#run}. The same script call can be run any number of
 * times, on any thread.
 *
 * <p>{@code RedisClient.call} and {@code send}, and {@code DedicatedConnection.call}, send {@code EVALSHA}, and
 * {@code EVAL} if the server does not have the script. A pipeline and a transaction send {@code EVAL} only, because
 * their commands must keep their order.
 *
 * @param <T> type of the decoded reply
 */
public final class ScriptCall<T> {

    private final Command<T> byHash;
    private final Supplier<Command<T>> withBody;

    ScriptCall(Command<T> byHash, Supplier<Command<T>> withBody) {
        this.byHash = byHash;
        this.withBody = withBody;
    }

    /** Returns a copy with another decoder for the reply. See {@link Command#as}. */
    public <U> ScriptCall<U> as(Function<Reply, U> decoder) {
        return new ScriptCall<>(byHash.as(decoder), () -> withBody.get().as(decoder));
    }

    /**
     * Returns a copy with this time limit instead of the client's time limit. See {@link Command#within}. The time
     * limit includes both commands.
     */
    public ScriptCall<T> within(Duration timeout) {
        return new ScriptCall<>(byHash.within(timeout), () -> withBody.get().within(timeout));
    }

    /** Returns the {@code EVALSHA} command. */
    public Command<T> byHash() {
        return byHash;
    }

    /** Returns the {@code EVAL} command, for a server that does not have the script. */
    public Command<T> withBody() {
        return withBody.get();
    }

    /** Does not show the arguments, because they may be secrets. */
    @Override
    public String toString() {
        return byHash.toString();
    }
}
