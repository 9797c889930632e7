// SPDX-License-Identifier: Apache-2.0
package io.millrace.browsertestkit;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Starts one browser for all test classes of this JVM. JUnit closes the browser after the last test. */
final class SharedBrowser implements ParameterResolver {

    private static final Namespace SPACE = Namespace.create(SharedBrowser.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Browser.class;
    }

    @Override
    public Browser resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRoot().getStore(SPACE).computeIfAbsent(Browser.class, type -> Browser.start(), Browser.class);
    }
}
