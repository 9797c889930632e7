// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Describes a database driver that is missing, in an application with load jobs. Spring Boot creates the data source before
 * the jobs, and would print a stack trace.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class DriverFailureAnalyzer extends AbstractFailureAnalyzer<BeanCreationException> {

    /** The message of the connection pool of Spring Boot. */
    private static final Pattern MISSING = Pattern.compile("Failed to load driver class (\\S+)");

    private final @Nullable Environment environment;

    DriverFailureAnalyzer(@Nullable Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BeanCreationException failure) {
        String driver = missingDriver(failure);
        if (driver == null || !hasJobs()) {
            return null;
        }
        return new FailureAnalysis(
                "The data source of the load jobs (spring.datasource.url) needs the driver " + driver
                        + ", which is not on the class path.",
                "Add the artifact of the driver with the scope runtime, or correct spring.datasource.url.",
                failure);
    }

    private static @Nullable String missingDriver(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            Matcher missing = MISSING.matcher(String.valueOf(cause.getMessage()));
            if (missing.find()) {
                return missing.group(1);
            }
        }
        return null;
    }

    private boolean hasJobs() {
        return environment != null
                && Binder.get(environment)
                        .bind(LoadProperties.PREFIX + ".jobs", Bindable.mapOf(String.class, String.class))
                        .isBound();
    }
}
