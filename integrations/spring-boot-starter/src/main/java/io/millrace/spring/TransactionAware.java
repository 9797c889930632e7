// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import org.springframework.cache.Cache;
import org.springframework.cache.transaction.TransactionAwareCacheDecorator;
import org.springframework.util.ClassUtils;

/** Caches whose puts and evictions wait for a commit. A separate class, because its libraries are optional. */
final class TransactionAware {

    private TransactionAware() {}

    /** Whether spring-context-support and spring-tx are on the class path. */
    static boolean isAvailable() {
        return isAvailable(TransactionAware.class.getClassLoader());
    }

    static boolean isAvailable(ClassLoader loader) {
        return ClassUtils.isPresent("org.springframework.cache.transaction.TransactionAwareCacheDecorator", loader)
                && ClassUtils.isPresent(
                        "org.springframework.transaction.support.TransactionSynchronizationManager", loader);
    }

    static Cache decorate(Cache cache) {
        return new TransactionAwareCacheDecorator(cache);
    }
}
