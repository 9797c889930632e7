// SPDX-License-Identifier: Apache-2.0

/** Encodes Redis commands and decodes replies: bytes to values and back. */
module io.millrace.resp {
    requires static transitive org.jspecify;

    exports io.millrace.resp;
}
