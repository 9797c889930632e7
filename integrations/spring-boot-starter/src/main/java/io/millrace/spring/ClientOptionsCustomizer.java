// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.ClientOptions;

/**
 * Changes the options of the client. Beans of this type are called once, in their order, after the keys {@code
 * millrace.redis.*} have been applied. So a customizer overrides a key.
 */
@FunctionalInterface
public interface ClientOptionsCustomizer {

    /** Changes {@code options}. */
    void customize(ClientOptions.Builder options);
}
