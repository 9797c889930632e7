// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Runners of contexts with the auto-configurations of the starter. */
final class TestRunners {

    private TestRunners() {}

    /** A runner whose client connects in the background to an address without a server. */
    static ApplicationContextRunner withoutServer() {
        return client().withPropertyValues("millrace.redis.url=redis://127.0.0.1:1", "millrace.redis.required=false");
    }

    /** A runner with the client of the server at {@code uri}. */
    static ApplicationContextRunner of(String uri) {
        return client().withPropertyValues("millrace.redis.url=" + uri);
    }

    private static ApplicationContextRunner client() {
        return new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(SslAutoConfiguration.class, MillraceClientAutoConfiguration.class));
    }

    /** The description of a failed start, as the application prints it. */
    static String description(AssertableApplicationContext context) {
        FailureAnalysis analysis = analysis(context);
        return analysis == null ? "no analysis of " + context.getStartupFailure() : analysis.getDescription();
    }

    /** The advice of a failed start, as the application prints it. */
    static String action(AssertableApplicationContext context) {
        FailureAnalysis analysis = analysis(context);
        return analysis == null ? "no analysis" : String.valueOf(analysis.getAction());
    }

    private static @Nullable FailureAnalysis analysis(AssertableApplicationContext context) {
        return Analyses.of(context.getStartupFailure());
    }
}
