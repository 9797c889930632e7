// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.resp.Reply;
import java.util.Optional;
import java.util.function.Function;

/**
 * The most frequent decoders of {@link Replies}, as common objects of all commands. Each method reference in the source
 * would be linked separately. The JVM needs about 0.2 ms for that, and a class such as {@link Strings} would need 5 ms
 * for its first use.
 */
final class Decoders {

    static final Function<Reply, Reply> RAW = Replies::raw;
    static final Function<Reply, String> TEXT = Replies::text;
    static final Function<Reply, Optional<String>> OPTIONAL_TEXT = Replies::optionalText;
    static final Function<Reply, Long> INTEGER = reply -> Replies.integer(reply);
    static final Function<Reply, Boolean> FLAG = reply -> Replies.flag(reply);
    static final Function<Reply, Double> REAL = reply -> Replies.real(reply);

    private Decoders() {}
}
