// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Skips a test class, and says so, if there is no Chromium. Its constructor may take the browser. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith({NeedsChromium.Condition.class, SharedBrowser.class})
@interface NeedsChromium {

    /** Looks for the programs on the PATH. */
    final class Condition implements ExecutionCondition {

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            var missing = Stream.of("chromium", "chromedriver")
                    .filter(name -> Browser.find(name).isEmpty())
                    .toList();
            return missing.isEmpty()
                    ? ConditionEvaluationResult.enabled("chromium and chromedriver are there")
                    : ConditionEvaluationResult.disabled("not on the PATH: " + String.join(", ", missing)
                            + " (Debian: apt install chromium chromium-driver)");
        }
    }
}
