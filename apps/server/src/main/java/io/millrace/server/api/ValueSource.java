// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

/** Computes the values below {@code /value}. A bean of this type replaces the demonstration. */
@FunctionalInterface
public interface ValueSource {

    /** Returns the value of a key. Called on a virtual thread, once for all requests that wait for the key. */
    String compute(String key) throws Exception;
}
