// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzedException;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/** Analyses failures of a start as Spring Boot does: with all registered analyzers, in their order. */
final class Analyses {

    private Analyses() {}

    static @Nullable FailureAnalysis of(@Nullable Throwable failure) {
        if (failure == null) {
            return null;
        }
        List<FailureAnalyzer> analyzers = SpringFactoriesLoader.forDefaultResourceLocation()
                .load(
                        FailureAnalyzer.class,
                        ArgumentResolver.none(),
                        FailureHandler.handleMessage((message, unusable) -> {}));
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
