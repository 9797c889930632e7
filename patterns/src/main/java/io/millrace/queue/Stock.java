// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Command;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The server's side of a source: where tasks come from and what is kept there of those in hand. What fails throws a {@link
 * io.millrace.client.RedisException}, and can be asked for again. Taking and waiting is for one thread; the rest is for any.
 */
interface Stock<T> {

    /** What the queue is called, in messages. */
    String name();

    /** Makes it ready. Called before anything else; again if that failed. */
    void open();

    /** Up to {@code most} tasks, those first that are to be delivered again. Does not wait. */
    Taken<T> take(int most);

    /** Waits for something new, at most for {@code wait}; may give it already, or leave that to the next {@link #take}. */
    Taken<T> await(int most, Duration wait);

    /** Whether there is nothing new, and nobody has a task in hand that could come back. */
    boolean isEmpty();

    /** Says that this consumer lives and has these tasks in hand. */
    void renew(List<String> ids);

    /** What tells the server, and answers whether the task was still this consumer's; empty if there is nothing to be told. */
    Optional<Command<Boolean>> settle(Settlement settlement);

    /** The server is told nothing more of this task. */
    void forget(String id);

    /** Whether a task that was delivered may be delivered again; if not, a command that may have been executed is not repeated. */
    boolean deliversAgain();

    /** Does what is to be done now and then. */
    void tidy();

    /** Gives back what this consumer has in hand, of which the source knows nothing any more, and forgets the consumer. */
    void leave();
}
