// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.interceptor.KeyGenerator;
import org.springframework.core.KotlinDetector;

/** Generates the same keys as Spring's default generator, as {@link ArgumentsKey}s, whose arguments can be read. */
final class ArgumentsKeyGenerator implements KeyGenerator {

    @Override
    public Object generate(Object target, Method method, @Nullable Object... params) {
        // The last parameter of a suspending function of Kotlin is its continuation.
        @Nullable
        Object[] arguments =
                KotlinDetector.isSuspendingFunction(method) ? Arrays.copyOf(params, params.length - 1) : params;
        if (arguments.length == 1) {
            Object only = arguments[0];
            if (only != null && !only.getClass().isArray()) {
                return only;
            }
        }
        return new ArgumentsKey(arguments);
    }
}
