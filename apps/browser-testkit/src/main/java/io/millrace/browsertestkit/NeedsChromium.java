// SPDX-License-Identifier: Apache-2.0
package io.millrace.browsertestkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A test class that needs Chromium. Its constructor may have a parameter of type {@link Browser}, the shared browser.
 *
 * <p>Without Chromium, the tests of the class are skipped, and the reason has the command that installs Chromium. If the
 * environment variable {@code CI} is {@code true}, the class fails with this reason instead: a continuous build must not
 * pass without the tests of the pages.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith({NeedsChromium.Condition.class, SharedBrowser.class})
public @interface NeedsChromium {

    /** Looks for the programs on the PATH. */
    final class Condition implements ExecutionCondition {

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            List<String> missing = Stream.of("chromium", "chromedriver")
                    .filter(name -> Browser.program(name).isEmpty())
                    .toList();
            return result(missing, "true".equals(System.getenv("CI")));
        }

        /**
         * The decision.
         *
         * @param missing names of the missing programs
         * @param ci whether this is a continuous build
         * @throws IllegalStateException if a program is missing in a continuous build
         */
        static ConditionEvaluationResult result(List<String> missing, boolean ci) {
            if (missing.isEmpty()) {
                return ConditionEvaluationResult.enabled("chromium and chromedriver are on the PATH");
            }
            String reason = "not on the PATH: " + String.join(", ", missing)
                    + " (Debian: apt install chromium chromium-driver)";
            if (ci) {
                throw new IllegalStateException(reason + ". With CI=true the tests of the pages must run");
            }
            return ConditionEvaluationResult.disabled(reason);
        }
    }
}
