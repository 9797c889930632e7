// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

/** Compares answers with the description of the routes. */
final class ApiDescription {

    private ApiDescription() {}

    static void check(String method, String path, RawAnswer answer) {}
}
