// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.millrace.lab.connections;

import org.jspecify.annotations.NullMarked;
