// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.interceptor.SimpleKey;

/**
 * The key of a cached method with no, several or null arguments. It equals the {@link SimpleKey} of the same arguments, and
 * its arguments can be read. Use it to look up or to evict an entry of a method with several arguments:
 * {@code cache.evict(new ArgumentsKey("de", 42))}. A method with one argument has this argument as its key.
 */
public final class ArgumentsKey extends SimpleKey {

    private static final long serialVersionUID = 1L;

    /** Transient, because arguments need not be serializable. A deserialized key has no arguments that can be read. */
    private final transient List<@Nullable Object> arguments;

    public ArgumentsKey(@Nullable Object... arguments) {
        super(arguments);
        List<@Nullable Object> copy = new ArrayList<>();
        for (Object argument : arguments) {
            copy.add(argument);
        }
        this.arguments = copy;
    }

    /** The arguments of the method, in their order. */
    List<@Nullable Object> arguments() {
        return arguments;
    }
}
