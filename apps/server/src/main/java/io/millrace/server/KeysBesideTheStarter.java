// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Lets the starter accept the keys of the server. The starter refuses each key below {@code millrace} that it does not know;
 * {@link ServerKeys} refuses the unknown ones of the server.
 */
final class KeysBesideTheStarter implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName STARTER = ConfigurationPropertyName.of("millrace");
    private static final ConfigurationPropertyName SERVER = ConfigurationPropertyName.of(ServerKeys.PREFIX);

    @Override
    public BindHandler apply(BindHandler handler) {
        return new AbstractBindHandler(handler) {
            @Override
            public void onFinish(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, @Nullable Object result)
                    throws Exception {
                try {
                    super.onFinish(name, target, context, result);
                } catch (UnboundConfigurationPropertiesException unknown) {
                    boolean onlyOurs = unknown.getUnboundProperties().stream()
                            .allMatch(property -> SERVER.isAncestorOf(property.getName()));
                    if (!name.equals(STARTER) || !onlyOurs) {
                        throw unknown;
                    }
                }
            }
        };
    }
}
