// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/** Leaves the data source out, unless {@code spring.datasource.url} is set. Spring Boot would start an empty database. */
final class WithoutDataSource implements AutoConfigurationImportFilter, EnvironmentAware {

    private static final String JDBC = "org.springframework.boot.jdbc.autoconfigure.";

    private @Nullable Environment environment;

    @Override
    public void setEnvironment(Environment environment) {
        this.environment = environment;
    }

    @Override
    public boolean[] match(@Nullable String[] classes, AutoConfigurationMetadata metadata) {
        Environment keys = environment;
        boolean needed = keys != null && keys.containsProperty("spring.datasource.url");
        boolean[] matches = new boolean[classes.length];
        for (int i = 0; i < classes.length; i++) {
            String name = classes[i];
            matches[i] = needed || name == null || !name.startsWith(JDBC);
        }
        return matches;
    }
}
