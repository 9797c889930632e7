// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import org.springframework.core.Ordered;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * The mapping of the route with most requests. Spring asks this mapping first. The other mapping compares a path with every
 * pattern.
 */
public final class ValueRoute extends RequestMappingHandlerMapping {

    public ValueRoute() {
        setOrder(Ordered.HIGHEST_PRECEDENCE);
        setInterceptors(new KnownParameters(), new ChosenForm());
    }

    @Override
    protected boolean isHandler(Class<?> type) {
        return type == ValueController.class;
    }
}
