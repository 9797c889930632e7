// SPDX-License-Identifier: Apache-2.0
/** How clients recover after a cut connection, a restart of the server, and a failover. */
@NullMarked
package io.millrace.lab.recovery;

import org.jspecify.annotations.NullMarked;
