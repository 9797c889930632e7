// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/**
 * The result of one test method of a fixture class. A test runs this method to observe how a JUnit extension changes
 * its result.
 */
record ExtensionRun(Events tests) {

    static ExtensionRun of(Class<?> fixture, String method) {
        return new ExtensionRun(EngineTestKit.engine("junit-jupiter")
                .selectors(selectMethod(fixture, method))
                .configurationParameter("junit.jupiter.conditions.deactivate", "*")
                .execute()
                .testEvents());
    }

    void assertSucceeded() {
        assertThat(tests.succeeded().count()).isOne();
        assertThat(tests.failed().count()).isZero();
    }

    /** The text of the failure. Exactly one test must have failed. */
    String failure() {
        assertThat(tests.failed().count()).isOne();
        return tests.failed().stream()
                .findFirst()
                .orElseThrow()
                .getPayload()
                .orElseThrow()
                .toString();
    }
}
