// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzedException;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/** Analyses failures of a start as Spring Boot does: with all registered analyzers, in their order. */
final class Analyses {

    private Analyses() {}

    static @Nullable FailureAnalysis of(@Nullable Throwable failure) {
        return of(failure, ArgumentResolver.none());
    }

    /** The same, with the analyzers that read the keys of the application. */
    static @Nullable FailureAnalysis of(@Nullable Throwable failure, Environment environment) {
        return of(failure, ArgumentResolver.of(Environment.class, environment));
    }

    private static @Nullable FailureAnalysis of(@Nullable Throwable failure, ArgumentResolver arguments) {
        if (failure == null) {
            return null;
        }
        List<FailureAnalyzer> analyzers = SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, arguments, FailureHandler.handleMessage((message, unusable) -> {}));
        for (FailureAnalyzer analyzer : analyzers) {
            FailureAnalysis analysis = analyzer.analyze(failure);
            if (analysis != null) {
                return analysis;
            }
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof FailureAnalyzedException analyzed) {
                return analyzed.analysis();
            }
        }
        return null;
    }
}
