// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.run.Tools;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Skips a test where the bench itself could not run, and says what is missing. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsRedisTools.Condition.class)
@interface NeedsRedisTools {

    /** Asks the PATH. */
    final class Condition implements ExecutionCondition {

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            var missing = Stream.of("redis-server", "redis-cli")
                    .filter(name -> Tools.find(name).isEmpty())
                    .toList();
            return missing.isEmpty()
                    ? ConditionEvaluationResult.enabled("redis-server and redis-cli are there")
                    : ConditionEvaluationResult.disabled("not on the PATH: " + String.join(", ", missing));
        }
    }
}
