// SPDX-License-Identifier: Apache-2.0

/** Encodes Redis commands to bytes and decodes replies from bytes. */
module io.millrace.resp {
    requires static transitive org.jspecify;

    exports io.millrace.resp;
}
