// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.run.Tools;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Runs of the lab in the annotated class take the JVMs of earlier runs. A JVM then starts once, not for each test. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(KeepsJvms.Switch.class)
@interface KeepsJvms {

    /** Sets the system property during the tests of the class. */
    final class Switch implements BeforeAllCallback, AfterAllCallback {

        @Override
        public void beforeAll(ExtensionContext context) {
            System.setProperty(Tools.KEEP_JVMS, "true");
        }

        @Override
        public void afterAll(ExtensionContext context) {
            System.clearProperty(Tools.KEEP_JVMS);
        }
    }
}
