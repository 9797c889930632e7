// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.cache.interceptor.CacheAspectSupport;
import org.springframework.cache.interceptor.SimpleKeyGenerator;
import org.springframework.core.Ordered;

/** Replaces Spring's default key generator, whose keys cannot be read. A generator of the application stays. */
final class KeyGeneratorInstaller implements BeanPostProcessor, Ordered {

    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        if (bean instanceof CacheAspectSupport aspect
                && aspect.getKeyGenerator().getClass().equals(SimpleKeyGenerator.class)) {
            aspect.setKeyGenerator(new ArgumentsKeyGenerator());
        }
        return bean;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }
}
