// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Bindable.BindRestriction;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Ignores a value of a group of keys, because a group has no value. The environment may contain {@code MILLRACE_CACHE}, a
 * variable of the command line, which Spring reads as {@code millrace.cache}.
 */
final class GroupsOfKeys implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("millrace");

    @Override
    public BindHandler apply(BindHandler handler) {
        return new AbstractBindHandler(handler) {
            @Override
            public <T> @Nullable Bindable<T> onStart(
                    ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
                @Nullable Bindable<T> started = super.onStart(name, target, context);
                return started != null && isGroup(name, target)
                        ? started.withBindRestrictions(BindRestriction.NO_DIRECT_PROPERTY)
                        : started;
            }
        };
    }

    private static boolean isGroup(ConfigurationPropertyName name, Bindable<?> target) {
        Class<?> type = target.getType().resolve(Object.class);
        return ROOT.isParentOf(name) && type.isRecord();
    }
}
