// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.cache.LoadFailedException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.interceptor.CacheOperationInvoker;

/**
 * Exceptions of cached methods. Spring wraps the exception of a method before the cache gets it. The cache gets the
 * exception without this wrapper, because the cache may store the name of its class.
 */
final class MethodFailures {

    private MethodFailures() {}

    /** Calls a loader of Spring or of the application. Throws the exception of the method without Spring's wrapper. */
    static <T extends @Nullable Object> T unwrapped(Callable<T> loader) throws Exception {
        try {
            return loader.call();
        } catch (CacheOperationInvoker.ThrowableWrapper wrapper) {
            switch (wrapper.getOriginal()) {
                case Exception exception -> throw exception;
                case Error error -> throw error;
                case Throwable ignored -> throw wrapper;
            }
        }
    }

    /**
     * The cause to show to the caller of {@code loader}. A failure that an earlier load has left in Redis has no cause, so
     * its message names the class. Spring accepts a checked exception only in its wrapper.
     */
    static Throwable causeFor(Callable<?> loader, LoadFailedException failed) {
        Throwable cause = failed.getCause() == null ? failed : failed.getCause();
        boolean ofSpring = loader.getClass().getPackageName().equals(CacheOperationInvoker.class.getPackageName());
        return ofSpring && !(cause instanceof RuntimeException)
                ? new CacheOperationInvoker.ThrowableWrapper(cause)
                : cause;
    }
}
