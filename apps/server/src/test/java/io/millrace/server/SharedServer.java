// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One server for all test classes with this extension. A start takes seconds on a busy machine. */
final class SharedServer implements ParameterResolver {

    private static final ExtensionContext.Namespace SPACE = ExtensionContext.Namespace.create(SharedServer.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestServer.class;
    }

    @Override
    public TestServer resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRoot()
                .getStore(SPACE)
                .computeIfAbsent(TestServer.class, type -> TestServer.start(), TestServer.class);
    }
}
