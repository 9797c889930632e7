// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import java.util.List;

/** A client library. */
public interface Library {

    /** As in reports, such as {@code jedis}. */
    String name();

    /** The ways it is used: the common naive one first, then what its own documentation says is best. */
    List<Way> ways();
}
