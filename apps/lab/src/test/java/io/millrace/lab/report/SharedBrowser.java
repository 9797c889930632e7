// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Starts one browser for all test classes. JUnit closes the browser after the last test of the module. */
final class SharedBrowser implements ParameterResolver {

    private static final Namespace SPACE = Namespace.create(SharedBrowser.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Browser.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRoot().getStore(SPACE).computeIfAbsent(Browser.class, key -> start(), Browser.class);
    }

    private static Browser start() {
        try {
            return Browser.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
