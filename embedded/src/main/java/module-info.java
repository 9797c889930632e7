// SPDX-License-Identifier: Apache-2.0

/** Starts a private Redis server. */
module io.millrace.embedded {
    requires static transitive org.jspecify;

    exports io.millrace.embedded;
}
